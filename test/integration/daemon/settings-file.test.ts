// The file with the runtime settings of an app, where the kernel has no watches left.
import fs, { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SettingsFile } from '../../../src/daemon/in-app/settings-file.ts';
import { realClock } from '../../../src/shared/clock.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';

const { watch } = fs;
function watchBy(one: typeof watch): void {
  fs.watch = one;
  syncBuiltinESMExports();
}
beforeEach(() => {
  watchBy(() => {
    throw new Error('ENOSPC: no space left on device');
  });
});
afterEach(() => watchBy(watch));

const at = directoryForEach();

it('a settings file that cannot be watched is read, and its problem is reported', async () => {
  const path = at('settings.json');
  writeFileSync(path, '{"limit":1}');
  const failed: string[] = [];
  const applied: object[] = [];
  const file = new SettingsFile({
    clock: realClock,
    isUserFile: () => false,
    apply: async (values) => void applied.push(values),
    failed: (_file, detail) => failed.push(detail),
  });
  file.resume(path);
  await eventually(() => applied.length > 0);
  await new Promise(setImmediate);
  expect(applied).toEqual([{ limit: 1 }]);
  expect(file.problem).toBe('failed to watch it: ENOSPC: no space left on device');
  expect(failed).toEqual([file.problem]);
  file.close();
});

// Packages in parent directories: who may own one that is used without being named.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nobody = attackerForEach();
const nsv = homeForEach();

/** A directory of root's below one in which everybody may create files, as /tmp. */
let below = '';
beforeEach(() => {
  if (whyNoOtherUser) return;
  chmodSync(nobody.roots, 0o1777);
  below = join(nobody.roots, 'below');
  mkdirSync(below, { mode: 0o755 });
});

const program = 'console.log("ran as", process.getuid()); setInterval(() => {}, 1000)';
/** A package of nobody whose script `start` runs that, and with a program in node_modules/.bin. */
const plant = (directory: string) =>
  nobody.sh(
    `cd ${directory} && echo '{"name":"x","scripts":{"start":"node app.js"}}' >package.json && echo '${program}' >app.js &&
     mkdir -p node_modules/.bin && printf '#!/usr/bin/env node\\n${program}\\n' >node_modules/.bin/planted && chmod +x node_modules/.bin/planted`,
  );

describe.skipIf(whyNoOtherUser)('a package in a parent directory', () => {
  it.each(['npm start', 'npm --verbose start', 'yarn start', 'pnpm start', 'npx planted', 'npm exec planted'])(
    'is not started by "%s" if it belongs to another user',
    async (words) => {
      await plant(nobody.roots);
      const { code, stderr } = await nsv.runWith({ cwd: below }, 'start', words);
      const file = join(nobody.roots, 'package.json');
      expect(stderr).toContain(`found ${file}, but did not use it: it belongs to user ${nobody.uid}`);
      expect(code).toBe(3);
    },
  );

  it.each(['npm start', 'yarn start'])('is not started by "%s" if node_modules is nearer', async (words) => {
    await plant(nobody.roots);
    mkdirSync(join(below, 'node_modules'));
    expect(await nsv.runWith({ cwd: below }, 'start', words)).toMatchObject({ code: 3 });
  });

  it('does not provide programs if it belongs to another user', async () => {
    await plant(nobody.roots);
    const { code, stderr } = await nsv.runWith({ cwd: below }, 'start', 'planted');
    expect(stderr).toContain('planted');
    expect(code).toBe(3);
  });

  it('is started if it is named', async () => {
    await plant(nobody.roots);
    expect(await nsv.runWith({ cwd: below }, 'start', join('..', 'package.json'))).toMatchObject({ code: 0 });
  });

  it('is started if its owner also owns the current directory, and the note names it', async () => {
    await plant(nobody.directory);
    await nobody.sh('mkdir inner');
    const { code, stderr } = await nsv.runWith({ cwd: nobody.at('inner') }, 'start', 'npm start', '--uid', 'nobody');
    expect(stderr).toContain(`runs "node app.js", the script "start" of ${nobody.at('package.json')}`);
    expect(code).toBe(0);
  });
});

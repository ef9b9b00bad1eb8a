import { expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { logFiles } from '../../../../src/daemon/output/files.ts';

it('an app is in one directory with the others, whatever its name has of a path', () => {
  const app = parseAppSpec({ name: '@acme/api:../x', script: '/srv/app.js', cwd: '/srv' });
  expect(logFiles(app, 0, '/logs')).toEqual({
    outFile: '/logs/@acme%2Fapi:..%2Fx-0-out.log',
    errorFile: '/logs/@acme%2Fapi:..%2Fx-0-err.log',
  });
});

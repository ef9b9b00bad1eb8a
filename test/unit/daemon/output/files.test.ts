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

it('a device is shared by all instances, and a file in memory is as any other', () => {
  const files = { outFile: '/dev/null', errorFile: '/dev/shm/err.log' };
  const app = parseAppSpec({ name: 'app', script: '/srv/app.js', cwd: '/srv', instances: 2, ...files });
  expect(logFiles(app, 1, '/logs')).toEqual({ outFile: '/dev/null', errorFile: '/dev/shm/err-1.log' });
});

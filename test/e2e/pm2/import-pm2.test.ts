// `nsv import-pm2` with files, in a directory of its own.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

const dump = JSON.stringify([
  { name: 'web', pm_exec_path: '/srv/app.js', pm_cwd: '/srv', exec_interpreter: 'node', env: { TOKEN: 'x', PATH: '' } },
]);

it('nsv import-pm2 writes a config file from a dump, and overwrites one only with --force', async () => {
  const pm2 = { env: { PM2_HOME: nsv.directory } };
  expect(await nsv.runWith(pm2, 'import-pm2')).toMatchObject({ code: 8, stderr: expect.stringContaining('dump.pm2') });
  writeFileSync(join(nsv.directory, 'dump.pm2'), dump);

  const file = join(nsv.directory, 'nsv.config.js');
  expect(await nsv.runWith(pm2, 'import-pm2')).toMatchObject({ code: 0, stdout: `wrote 1 app to ${file}\n` });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('TOKEN: "x"');
  writeFileSync(file, 'mine');
  expect(await nsv.runWith(pm2, 'import-pm2')).toMatchObject({ code: 8, stderr: expect.stringContaining('--force') });
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(await nsv.runWith(pm2, 'import-pm2', '--force')).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toContain('TOKEN: "x"');

  writeFileSync(join(nsv.directory, 'package.json'), '{"type":"module"}');
  expect((await nsv.runWith(pm2, 'import-pm2')).stdout).toContain('nsv.config.cjs');
  expect(await nsv.runWith(pm2, 'import-pm2', '-o', '-')).toMatchObject({ stdout: readFileSync(file, 'utf8') });
});

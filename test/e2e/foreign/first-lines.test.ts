// What a user gets to read who may do less than others, or has less.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach, launcher } from '../../helpers/nsv.ts';
import { finish } from '../../helpers/program.ts';

const nsv = homeForEach();
const nobody = attackerForEach();

/** A user without an entry in /etc/passwd. */
const stranger = 54_321;

describe.skipIf(whyNoOtherUser)('a user', () => {
  const asStranger = (words: string[], env: NodeJS.ProcessEnv) =>
    finish('setpriv', ['--reuid', String(stranger), '--clear-groups', launcher, ...words], { env, cwd: '/' });

  it('without a home directory can list, and run an app, and is told where it could have one', async () => {
    const { PATH } = process.env;
    expect(await asStranger(['list'], { PATH })).toMatchObject({ code: 0, stderr: 'nsv: no daemon is running\n' });
    chmodSync(nsv.directory, 0o755);
    const app = nsv.script('app.cjs', "console.log('ran')");
    expect(await asStranger(['run', '--', 'node', app], { PATH })).toMatchObject({ code: 0, stdout: 'ran\n' });
    const { code, stderr } = await asStranger(['start', app], { PATH });
    expect([code, stderr.split('\n')[0]]).toEqual([
      4,
      "nsv: cannot use /.nsv as the nsv home: EACCES: permission denied, mkdir '/.nsv'",
    ]);
    expect(stderr).toContain('set NSV_HOME');
  });

  it('is told that a directory may not be entered, instead that there is no file', async () => {
    const hidden = join(nsv.directory, 'hidden');
    mkdirSync(hidden, { mode: 0o700 });
    chmodSync(nsv.directory, 0o755);
    writeFileSync(join(hidden, 'app.js'), '');
    const { PATH } = process.env;
    for (const [command, code] of [
      ['start', 3],
      ['run', 126],
      ['apply', 2],
    ] as const) {
      const told = await asStranger([command, join(hidden, 'app.js')], { PATH });
      expect([told.code, told.stderr]).toEqual([
        code,
        expect.stringContaining('permission denied for a directory above it'),
      ]);
    }
  });

  it('is told at once that a port below 1024 is for root', async ({ skip }) => {
    const start = `NSV_HOME=$PWD/home ${launcher} start`;
    const bound = await nobody.try(`node -e "require('net').createServer().listen(81, () => process.exit(9))"`);
    if (bound.code === 9) skip('every user may use port 81 here');
    const fixed = await nobody.try(`${start} /bin/sleep --listen 81 -- 600`);
    expect(fixed.stderr).toMatch(
      /^nsv: failed to listen on port 81: permission denied\n +ports below 1024 are for root/,
    );
    await nobody.sh(`echo "require('net').createServer().listen(81)" > app.cjs`);
    const { stderr } = await nobody.try(`${start} app.cjs`);
    expect(stderr).toMatch(
      /^nsv: "app" did not start: cannot listen on port 81: permission denied \(EACCES\); ports below/,
    );
    expect(stderr).not.toContain('times');
    await nobody.sh(`NSV_HOME=$PWD/home ${launcher} kill`);
  });
});

// Homes among directories of other users.
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach, launcher } from '../../helpers/nsv.ts';

const nobody = attackerForEach();
const nsv = homeForEach();

describe.skipIf(whyNoOtherUser)('a home', () => {
  it('is refused in another user’s directory, and nothing is created there', async () => {
    chownSync(dirname(nsv.home), nobody.uid, nobody.gid);
    const { code, stderr } = await nsv.run('start', '/bin/sleep', '--', '600');
    expect(stderr).toContain(`it is inside ${dirname(nsv.home)}, which belongs to user ${nobody.uid}`);
    expect(code).toBe(4);
    expect(existsSync(nsv.home)).toBe(false);
    mkdirSync(nsv.home);
    chmodSync(nsv.home, 0o700);
    expect(await nsv.run('doctor')).toMatchObject({ code: 9, stdout: expect.stringContaining('belongs to user') });
  });

  it('is accepted in a user namespace in which nobody owns the root directory', async ({ skip }) => {
    const within = 'unshare --user --map-root-user';
    const { code, stderr } = await nobody.try(`${within} true`);
    if (code !== 0) skip(`no user namespace for nobody here: ${stderr}`);
    expect(await nobody.sh(`mkdir -m 700 home && NSV_HOME=$PWD/home ${within} ${launcher} doctor`)).toContain(
      'no problems found',
    );
  });
});

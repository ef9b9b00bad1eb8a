// Supplementary groups that an app has besides those of its user.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Foreground } from '../../helpers/foreground.ts';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach, launcher } from '../../helpers/nsv.ts';

const nobody = attackerForEach();
const nsv = homeForEach();

const groupsOf = (pid: number) =>
  (/^Groups:(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '').trim().split(' ').map(Number);

async function groupsWith(...options: string[]): Promise<number[]> {
  await nsv.sleeper('a', ...options);
  const [view] = await nsv.list('a');
  return groupsOf(view!.pid!);
}

const sorted = (...groups: number[]) => [...new Set(groups)].sort((one, other) => one - other);

describe.skipIf(whyNoOtherUser)('an app with additional groups', () => {
  it('has them in its hooks and probes too, even in a directory of its user', async () => {
    const hooked = nobody.at('hooked');
    const probe = `exec:id -G > ${nobody.at('probed')}`;
    const app = { name: 'a', script: '/bin/sleep', args: ['600'], uid: 'nobody', cwd: nobody.directory };
    const file = join(nobody.roots, 'a.json');
    const more = { groups: [4711], pre_start: `id -G > ${hooked}`, ready_probe: probe };
    writeFileSync(file, JSON.stringify({ apps: [{ ...app, ...more }] }));
    await nsv.ok('start', file);
    for (const name of ['hooked', 'probed']) expect(nobody.text(name)).toBe(`${nobody.gid} 4711\n`);
    const [view] = await nsv.list();
    expect(groupsOf(view!.pid!)).toEqual(sorted(nobody.gid, 4711));
  });

  it.each([
    ['a user without an account', ['--uid', '4712', '--cwd', '/'], [4712]],
    ['a group alone', ['--gid', '4713'], [4713]],
    ['neither user nor group', [], process.getgroups?.() ?? []],
  ])('has the groups of %s as well', { tags: 'full' }, async (_, options, own) => {
    expect(await groupsWith(...options, '--groups', '4711,root')).toEqual(sorted(...own, 4711, 0));
  });

  it('gains and loses them on a restart', { tags: 'full' }, async () => {
    expect(await groupsWith('--uid', 'nobody', '--cwd', '/')).not.toContain(4711);
    const groups = async (...options: string[]) => {
      await nsv.ok('restart', 'a', ...options);
      const [view] = await nsv.list('a');
      return groupsOf(view!.pid!);
    };
    expect(await groups('--groups', '4711')).toContain(4711);
    expect(await groups('--no-groups')).not.toContain(4711);
  });

  it('can only be started by root', async () => {
    const { uid, gid } = nobody;
    const program = ['setpriv', '--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups', launcher];
    const ways = { program, env: { NSV_HOME: nobody.at('home'), HOME: nobody.directory } };
    const ran = await new Foreground(nsv, ['--groups', 'root', '--', '/bin/true'], ways).ended;
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('only root can use --uid, --gid and --groups'),
    });
  });
});

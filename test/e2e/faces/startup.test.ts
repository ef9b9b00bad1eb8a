// `nsv startup` and `nsv unstartup`, with a systemctl that only writes down what it is asked.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { homeForEach, launcher } from '../../helpers/nsv.ts';
import { outputOf } from '../../helpers/program.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
let env: Record<string, string>;
let unit: string;
/** What changes nothing is left out. */
const asked = () => {
  const lines = readFileSync(join(nsv.directory, 'asked'), 'utf8').trimEnd().split('\n');
  return lines.filter((words) => words !== '--version');
};
const withCode = (code: number) =>
  nsv.script('systemctl', `#!/bin/sh\necho "$*" >>${nsv.directory}/asked\necho sorry >&2\nexit ${code}\n`);
const run = (...words: string[]) => nsv.runWith({ env }, ...words);

beforeEach(() => {
  withCode(0);
  env = { HOME: nsv.directory, PATH: `${nsv.directory}:${process.env.PATH}` };
  unit = join(nsv.directory, '.config', 'systemd', 'user', 'nsv.service');
});

describe('nsv startup', () => {
  it('prints the file and writes nothing', async () => {
    const { code, stdout, stderr } = await run('startup', 'systemd-user');
    expect(code).toBe(0);
    expect(stdout).toContain(`NSV_HOME=${nsv.home}`);
    expect(stdout).toMatch(/^ExecStart=\/\S+ \/\S+\/dist\/cli\/main\.js daemon --foreground$/m);
    expect(stderr).toContain(unit);
    expect(existsSync(unit)).toBe(false);
  });

  it('installs the unit, and nsv unstartup removes it', async () => {
    const { code, stdout, stderr } = await run('startup', 'systemd-user', '--install');
    expect([code, stderr]).toEqual([0, expect.stringContaining('loginctl enable-linger')]);
    expect(stdout).toBe(`wrote ${unit}\nran systemctl --user daemon-reload\nran systemctl --user enable nsv.service\n`);
    expect(statSync(unit).mode & 0o777).toBe(0o644);
    const printed = (await run('startup', 'systemd-user')).stdout;
    expect(readFileSync(unit, 'utf8')).toBe(printed);
    expect(await run('unstartup', 'systemd-user')).toMatchObject({ code: 0 });
    expect(existsSync(unit)).toBe(false);
    expect(asked().slice(2)).toEqual(['--user disable nsv.service', '--user daemon-reload']);
    expect((await run('unstartup', 'systemd-user')).stdout).toBe(`nothing to remove: there is no ${unit}\n`);
  });

  it('does not touch a file that nsv has not written', { tags: 'full' }, async () => {
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, '[Service]\n');
    for (const words of [
      ['startup', 'systemd-user', '--install'],
      ['unstartup', 'systemd-user'],
    ]) {
      expect(await run(...words)).toMatchObject({ code: 8, stderr: expect.stringContaining('was not written by nsv') });
    }
    expect(readFileSync(unit, 'utf8')).toBe('[Service]\n');
  });

  it('reports a failed command of the init system', { tags: 'full' }, async () => {
    withCode(3);
    const { code, stderr } = await run('startup', 'systemd-user', '--install');
    expect([code, stderr]).toEqual([
      8,
      expect.stringContaining('failed to run "systemctl --user daemon-reload": sorry'),
    ]);
  });

  it('keeps the old file if the new one cannot be written completely', { tags: 'full' }, async () => {
    await run('startup', 'systemd-user', '--install');
    const before = readFileSync(unit, 'utf8');
    // As on a disk with so little room, which is less than the file needs.
    const limited = nsv.script('limited', `#!/bin/sh\nulimit -c 0\nulimit -f 1\nexec ${launcher} "$@"\n`);
    const words = ['startup', 'systemd-user', '--install', '--home', `/${'long/'.repeat(300)}`];
    const { code, stderr } = await nsv.runWith({ env, program: limited }, ...words);
    expect([code, stderr]).toEqual([8, expect.stringContaining(`failed to write ${unit}`)]);
    expect(readdirSync(dirname(unit))).toEqual(['nsv.service']);
    expect(readFileSync(unit, 'utf8')).toBe(before);
  });

  it('prints the command that installs exactly what it prints', { tags: 'full' }, async () => {
    const options = ['--home', join(nsv.directory, 'a home'), '--name', 'x', '--root', join(nsv.directory, 'image')];
    env.PATH += `:${dirname(launcher)}`;
    const { stdout, stderr } = await run('startup', 'systemd-user', ...options);
    const line = stderr.trimEnd().split('\n').at(-1)!.trim();
    await outputOf('/bin/sh', ['-c', line], { env });
    expect(readFileSync(join(nsv.directory, 'image', dirname(unit), 'x.service'), 'utf8')).toBe(stdout);
  });

  it.each([
    ['systemd', 'etc/systemd/system/x.service', 'User='],
    ['openrc', 'etc/init.d/x', '#!/sbin/openrc-run'],
    ['launchd', 'Library/LaunchDaemons/x.plist', '<key>UserName</key>'],
  ])(
    'writes into another system without calling the init system of this one (%s)',
    { tags: 'full' },
    async (platform, file, content) => {
      const root = join(nsv.directory, 'image');
      const words = [platform, '--root', root, '--name', 'x', '--user', userInfo().username, '--home', nsv.home];
      expect(await run('startup', ...words, '--install')).toMatchObject({ code: 0 });
      expect(readFileSync(join(root, file), 'utf8')).toContain(content);
      expect(existsSync(join(nsv.directory, 'asked'))).toBe(false);
      expect(await run('unstartup', ...words)).toMatchObject({ code: 0 });
      expect(existsSync(join(root, file))).toBe(false);
    },
  );

  variants([
    [['upstart'], 2, 'use one of systemd, systemd-user, launchd, openrc'],
    [['systemd', '--user', 'no-such-user'], 2, '--user no-such-user is not a user of this machine'],
    [['systemd', '--name', '../x'], 2, '--name may only contain'],
  ])('rejects %j', async (words, code, says) => {
    expect(await run('startup', ...words)).toMatchObject({ code, stderr: expect.stringContaining(says) });
  });
});

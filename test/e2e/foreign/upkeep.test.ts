// What is created in the name of an app: as whom, with which modes, and with which environment.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { asNobody, attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach, launcher, written } from '../../helpers/nsv.ts';

// The directory goes when the apps are gone, which would create it again.
const nobody = attackerForEach();
const nsv = homeForEach();

const sleep = ['--', '-c', 'exec sleep 600'];
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe.skipIf(whyNoOtherUser)('a pid file in a directory of the user of the app', () => {
  it('is written and removed as that user', async () => {
    const file = nobody.at('a.pid');
    await nsv.ok('start', '/bin/sh', ...asNobody, '--pid-file', file, '-i', '2', ...sleep);
    const pids = await nsv.pids('a');
    expect([await written(file), await written(nobody.at('a-1.pid'))].map(Number)).toEqual(pids);
    expect(statSync(file).uid).toBe(nobody.uid);
    await nsv.ok('restart', 'a');
    const [first] = await nsv.list('a');
    await eventually(() => existsSync(file) && readFileSync(file, 'utf8') === `${first!.pid}\n`);
    await nsv.ok('kill');
    expect([file, nobody.at('a-1.pid')].filter((each) => existsSync(each))).toEqual([]);
  });

  it('overwrites no file of root through a link, but replaces the link', { tags: 'full' }, async () => {
    const secret = nobody.secret();
    await nobody.sh(`ln -s ${secret} a.pid`);
    await nsv.ok('start', '/bin/sh', ...asNobody, '--pid-file', nobody.at('a.pid'), ...sleep);
    const [process] = await nsv.list('a');
    await eventually(() => statSync(nobody.at('a.pid')).uid === nobody.uid);
    expect(nobody.text('a.pid')).toBe(`${process!.pid}\n`);
    expect(readFileSync(secret, 'utf8')).toBe('secret of root\n');
  });

  it('is neither created nor removed in a directory of root that a link leads to', { tags: 'full' }, async () => {
    await nobody.sh(`ln -s ${nobody.roots} run`);
    await nsv.ok('start', '/bin/sh', ...asNobody, '--pid-file', nobody.at('run/a.pid'), ...sleep);
    const [process] = await nsv.list('a');
    const file = nobody.secret('a.pid', `${process!.pid}\n`);
    await nsv.ok('kill');
    expect(existsSync(file)).toBe(true);
  });
});

describe.skipIf(whyNoOtherUser)('an app of another user', () => {
  const env = { SECRET: 'of root', LANG: 'C.UTF-8', AWS_KEY: 'key', AWS_ID: 'id', NODE_ENV: 'production' };

  async function environmentWith(...options: string[]): Promise<Record<string, string>> {
    const out = nobody.at('env');
    const words = ['start', '/bin/sh', ...asNobody, '-o', out, ...options, '--', '-c', 'env; exec sleep 600'];
    const { code, stderr } = await nsv.runWith({ env }, ...words);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const text = await eventually(() => readFileSync(out, 'utf8').includes('LOGNAME=') && written(out));
    return Object.fromEntries(
      text
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s, 2)),
    );
  }

  it('has its own HOME, USER, LOGNAME and SHELL, and only harmless variables from the shell of root', async () => {
    const found = await environmentWith();
    const [name, , , , , home, shell] = /^nobody:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))![0].split(':');
    expect(found).toMatchObject({ HOME: home, USER: name, LOGNAME: name, SHELL: shell });
    expect(found).toMatchObject({ PATH: process.env.PATH, LANG: 'C.UTF-8', NODE_ENV: 'production', NSV_APP: 'a' });
    expect(Object.keys(found).filter((key) => ['SECRET', 'AWS_KEY', 'NSV_HOME'].includes(key))).toEqual([]);
  });

  it('gets the variables that --pass-env names', { tags: 'full' }, async () => {
    const found = await environmentWith('--pass-env', 'AWS_*,HOME');
    expect(found).toMatchObject({ AWS_KEY: 'key', AWS_ID: 'id', HOME: process.env.HOME, USER: 'nobody' });
    expect(found.SECRET).toBeUndefined();
  });

  it('gets all variables with --pass-env all, except those of its user', { tags: 'full' }, async () => {
    const found = await environmentWith('--pass-env', 'all');
    expect(found).toMatchObject({ SECRET: 'of root', USER: 'nobody' });
    expect(found.HOME).not.toBe(process.env.HOME);
  });

  it('runs its hooks and the --on-giveup command as that user, with that environment', async () => {
    const say = (what: string) => `{ id -u; echo $HOME; echo $SECRET; umask; } >${nobody.at(what)}`;
    const app = { name: 'a', script: '/bin/false', cwd: '/', uid: 'nobody', max_restarts: 0, umask: '027' };
    const hooks = { pre_start: say('before'), on_giveup: say('giveup'), env: { GIVEN: 'x' } };
    const config = nsv.script('nsv.config.json', JSON.stringify({ apps: [{ ...app, ...hooks }] }));
    await nsv.runWith({ env }, 'start', config);
    const expected = `${nobody.uid}\n/nonexistent\n\n0027\n`;
    for (const what of ['before', 'giveup'])
      expect(
        await eventually(
          () => existsSync(nobody.at(what)) && nobody.text(what).split('\n').length > 4 && nobody.text(what),
        ),
      ).toBe(expected);
  });
});

describe('the modes of files created for an app', { tags: 'full' }, () => {
  /** From a shell with that umask. */
  const from = (umask: string, ...words: string[]) =>
    nsv.runWith({ program: '/bin/sh' }, '-c', `umask ${umask}; exec "$@"`, 'sh', launcher, ...words);

  const facts = (name: string) => `umask >${join(nsv.directory, name)}; exec sleep 600`;

  async function launchWith(umask: string, name: string, ...options: string[]): Promise<void> {
    const pidFile = ['--pid-file', join(nsv.directory, `${name}.pid`)];
    const words = ['--name', name, ...pidFile, ...options, '--', '-c', facts(name)];
    expect(await from(umask, 'start', '/bin/sh', ...words)).toMatchObject({ code: 0 });
  }

  it.each(['000', '077'])('do not depend on the umask %s of the shell that launched the daemon', async (umask) => {
    await from(umask, 'start', '/bin/sleep', '--name', 'first', '--', '600');
    const socket = join(nsv.directory, 'a.sock');
    await launchWith('027', 'a', '--listen', socket);
    expect(await written(join(nsv.directory, 'a'))).toBe('0027\n');
    expect(modeOf(join(nsv.directory, 'a.pid'))).toBe('640');
    expect(modeOf(socket)).toBe('750');
    expect(modeOf(join(nsv.home, 'logs/a-0-out.log'))).toBe('640');
  });

  it('follow --umask, which nsv show prints', async () => {
    await launchWith('077', 'a', '--umask', '002');
    expect(await written(join(nsv.directory, 'a'))).toBe('0002\n');
    expect(modeOf(join(nsv.directory, 'a.pid'))).toBe('664');
    expect(await nsv.ok('show', 'a')).toMatch(/umask.* 002/);
  });

  it('follow the default umask for an app from a config file', async () => {
    const apps = [{ name: 'a', script: '/bin/sh', args: ['-c', facts('a')] }];
    const config = nsv.script('nsv.config.json', JSON.stringify({ apps }));
    expect(await from('077', 'start', config)).toMatchObject({ code: 0 });
    expect(await written(join(nsv.directory, 'a'))).toBe('0022\n');
  });
});

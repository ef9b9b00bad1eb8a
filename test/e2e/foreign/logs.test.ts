// Log files of an app of another user, who can write the directory they are in.
import { existsSync, linkSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { asNobody, attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach, written } from '../../helpers/nsv.ts';

// The directory goes when the apps are gone, which would create it again.
const nobody = attackerForEach();
const nsv = homeForEach();

/** Starts `sh -c command` as nobody; the words before are options. */
const start = (command: string, ...options: string[]) =>
  nsv.run('start', '/bin/sh', ...asNobody, ...options, '--', '-c', command);

const chatty = 'echo out; echo err >&2; exec sleep 600';

describe.skipIf(whyNoOtherUser)('a log in a directory of the user of the app', () => {
  it('is created and written by that user, with the directories above it', async () => {
    const [out, err] = [nobody.at('new/deep/out.log'), nobody.at('err.log')];
    expect(await start(chatty, '-o', out, '-e', err)).toMatchObject({ code: 0 });
    expect(await written(out)).toBe('out\n');
    expect(await written(err)).toBe('err\n');
    for (const file of [out, err, nobody.at('new'), nobody.at('new/deep')]) expect(statSync(file).uid).toBe(nobody.uid);
    expect([out, nobody.at('new/deep')].map((file) => statSync(file).mode & 0o777)).toEqual([0o640, 0o750]);
  });

  it.each([
    ['both logs are one file', (file: string) => ['-o', file, '-e', file], 'out\nerr\n'],
    ['the other log is in the home', (file: string) => ['-o', file], 'out\n'],
  ])('is appended to if %s', { tags: 'full' }, async (_case, options, added) => {
    await nobody.sh('echo before >a.log');
    expect(await start(chatty, ...options(nobody.at('a.log')))).toMatchObject({ code: 0 });
    expect(await eventually(() => nobody.text('a.log').includes(added) && nobody.text('a.log'))).toBe(
      `before\n${added}`,
    );
  });

  it('is not written through a link to a file of root', async () => {
    const secret = nobody.secret();
    await nobody.sh(`ln -s ${secret} a.log`);
    const { code, stderr } = await start(chatty, '-o', nobody.at('a.log'), '--wait-ready');
    expect(readFileSync(secret, 'utf8')).toBe('secret of root\n');
    expect(code).toBe(6);
    expect(stderr).toMatch(/failed to open the log file ".*\/a\.log": Permission denied \(as user nobody\)/);
  });

  it('is not written through a directory that was replaced by a link, on any restart', { tags: 'full' }, async () => {
    const secret = nobody.secret('a.log');
    await nobody.sh('mkdir logs');
    const app = `cd ${nobody.directory}; [ -h logs ] || { mv logs old; ln -s ${nobody.roots} logs; exit 1; }; exec sleep 600`;
    await start(app, '-o', nobody.at('logs/a.log'), '-e', '/dev/null', '--no-wait');
    await eventually(async () => (await nsv.list('a'))[0]?.status === 'errored');
    expect(readFileSync(secret, 'utf8')).toBe('secret of root\n');
  });

  it('is not written if it is a hard link to a file of root', { tags: 'full' }, async () => {
    const secret = nobody.secret();
    linkSync(secret, nobody.at('a.log'));
    expect(await start(chatty, '-o', nobody.at('a.log'), '--wait-ready')).toMatchObject({ code: 6 });
    expect(readFileSync(secret, 'utf8')).toBe('secret of root\n');
  });

  it('is not created through a link into a directory of root', { tags: 'full' }, async () => {
    await nobody.sh(`ln -s ${nobody.roots}/created a.log`);
    expect(await start(chatty, '-o', nobody.at('a.log'), '--wait-ready')).toMatchObject({ code: 6 });
    expect(existsSync(`${nobody.roots}/created`)).toBe(false);
  });

  it('does not reveal a file of root to the --on-giveup command', { tags: 'full' }, async () => {
    const secret = nobody.secret('secret', 'one\nthe secret\n');
    const reported = nobody.at('told');
    const app = `cd ${nobody.directory}; rm -f err.log; ln -s ${secret} err.log; exit 1`;
    const config = { name: 'a', script: '/bin/sh', args: ['-c', app], cwd: '/', uid: 'nobody', max_restarts: 0 };
    const more = { err_file: nobody.at('err.log'), on_giveup: `echo "told: $NSV_LAST_ERROR" >${reported}` };
    await nsv.run('start', nsv.script('nsv.config.json', JSON.stringify({ apps: [{ ...config, ...more }] })));
    expect(await written(reported)).not.toContain('secret');
  });

  it('is quoted when a start fails', { tags: 'full' }, async () => {
    const limits = ['--max-restarts', '0', '--wait-ready'];
    const { stderr } = await start('echo what went wrong >&2; exit 1', '-e', nobody.at('err.log'), ...limits);
    expect(stderr).toContain('what went wrong');
  });

  it('is written by that user for a Node app too, which keeps its channel and sockets', { tags: 'full' }, async () => {
    const out = nobody.at('out.log');
    await nobody.sh(`echo "require('http').createServer((_, r) => r.end()).listen(0)" >app.cjs`);
    await nsv.ok('start', nobody.at('app.cjs'), '--name', 'a', '--uid', 'nobody', '-i', '2', '-o', out);
    await nsv.ok('reload', 'a');
    await nsv.ok('scale', 'a', '3');
    expect(await nsv.list('a')).toHaveLength(3);
    expect(statSync(nobody.at('out-2.log')).uid).toBe(nobody.uid);
  });

  it('leaves the program its sockets, its ready pipe and no other descriptor', { tags: 'full' }, async () => {
    const out = nobody.at('out.log');
    const command = 'echo $LISTEN_PID $$ $LISTEN_FDS $NSV_NOTIFY_FD; echo >&5; exec sleep 600';
    const sockets = ['--listen', nobody.at('a.sock'), '--listen', nobody.at('b.sock')];
    expect(await start(command, '-o', out, ...sockets, '--wait-ready')).toMatchObject({ code: 0 });
    const [{ pid } = { pid: 0 }] = await nsv.list('a');
    expect(await written(out)).toBe(`${pid} ${pid} 2 5\n`);
    const descriptors = readdirSync(`/proc/${pid}/fd`);
    expect(descriptors).toEqual(expect.arrayContaining(['0', '1', '2', '3', '4', '5']));
    expect(descriptors).not.toContain('6');
  });

  it.each([
    ['plain program', ''],
    ['Node app', 'app.cjs'],
  ])(
    'still belongs to its user after the death of the daemon and an update: %s',
    { tags: 'full' },
    async (_case, app) => {
      const out = nobody.at('out.log');
      await nobody.sh(
        `echo "console.log('begun'); require('http').createServer((_, r) => r.end()).listen(0)" >app.cjs`,
      );
      if (app === '') expect(await start('echo begun; exec sleep 600', '-o', out)).toMatchObject({ code: 0 });
      else await nsv.ok('start', nobody.at(app), '--name', 'a', '--uid', 'nobody', '-o', out);
      await nsv.replaceDaemon();
      const secret = nobody.secret();
      await nsv.ok('logs', 'rotate', 'a');
      await nsv.ok('restart', 'a');
      expect(await written(out)).toBe('begun\n');
      await nsv.ok('update');
      await nsv.ok('logs', 'rotate', 'a');
      await nsv.ok('reload', 'a');
      await written(out);
      await nobody.sh(`ln -sf ${secret} out.log`);
      await nsv.run('logs', 'rotate', 'a');
      await nsv.run('reload', 'a');
      expect(readFileSync(secret, 'utf8')).toBe('secret of root\n');
      for (const name of readdirSync(nobody.directory)) expect(lstatSync(nobody.at(name)).uid).toBe(nobody.uid);
    },
  );
});

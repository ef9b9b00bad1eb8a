// Unix sockets of an app of another user, who can write the directory they are in.
import { chmodSync, copyFileSync, existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { ask, bodies } from '../../helpers/http.ts';
import { fixture, homeForEach, written } from '../../helpers/nsv.ts';
import { freePortOfRoot } from '../../helpers/ports.ts';
import { procFile } from '../../helpers/proc.ts';
import { variants } from '../../helpers/variants.ts';

const nobody = attackerForEach();
const nsv = homeForEach();
const ways = ['kernel', 'rr'] as const;

/** A copy that nobody can read. */
function readable(name: string): string {
  const script = join(nobody.roots, name);
  copyFileSync(fixture(name), script);
  chmodSync(script, 0o644);
  return script;
}

const asNobody = ['--name', 'a', '--uid', 'nobody', '--cwd', '/'];

const other = ['--name', 'b', ...asNobody.slice(2)];

/** Starts an app that serves its pid on the path. */
const start = (path: string, mode: string, ...options: string[]) =>
  nsv.run('start', readable('listens-on-path.cjs'), ...asNobody, ...options, '--', path, mode);

const says = async () => written((await nsv.list())[0]!.outFile!);
const modeOf = (path: string) => lstatSync(path).mode & 0o777;
const pidBehind = async (path: string) => {
  const answer = await ask(path);
  return answer.ok ? Number(answer.body) : answer.why;
};
const isGone = (path: string) => eventually(() => !existsSync(path));

/** Processes that bind or remove sockets. */
const helpers = () =>
  readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && procFile(name, 'cmdline')?.includes('socket-helper/main.js'),
  );

describe.skipIf(whyNoOtherUser)('a socket in a directory of the user of the app', () => {
  variants(ways)('belongs to that user, who may change its mode, and is gone after a stop: %s', async (schedule) => {
    const path = nobody.at('a.sock');
    await start(path, 'all', '--schedule', schedule);
    expect(await says()).toBe('listens\n');
    // Node 20 adds the bits for writing to the mode, and later lines set no others.
    expect([nobody.ownerOf(path), modeOf(path) & 0o222]).toEqual([nobody.uid, 0o222]);
    const [view] = await nsv.list();
    expect(await pidBehind(path)).toBe(view?.pid);
    expect(view?.ports).toEqual([path]);
    await nsv.ok('stop', 'a');
    await isGone(path);
    await nsv.ok('start', 'a');
    expect(await pidBehind(path)).toBe((await nsv.list())[0]?.pid);
    await nsv.ok('kill');
    expect(existsSync(path)).toBe(false);
    await eventually(() => helpers().length === 0);
  });

  it('has the mode that the umask of the app leaves', { tags: 'full' }, async () => {
    await start(nobody.at('a.sock'), 'plain', '--umask', '027');
    await says();
    expect(modeOf(nobody.at('a.sock'))).toBe(0o750);
  });

  it('can be made private by the app', { tags: 'full' }, async () => {
    await start(nobody.at('a.sock'), 'private');
    expect(await says()).toBe('listens\n');
    expect(modeOf(nobody.at('a.sock'))).toBe(0o600);
  });

  it.each(ways)('is shared by all instances, before and after a reload: %s', { tags: 'full' }, async (schedule) => {
    const path = nobody.at('a.sock');
    await start(path, 'all', '-i', '2', '--schedule', schedule);
    const pids = async () => (await nsv.list()).map(({ pid }) => String(pid)).sort();
    const answering = () =>
      eventually(async () => {
        const seen = [...new Set(await bodies(path, 20))].sort();
        return String(seen) === String(await pids()) && seen;
      });
    const before = await answering();
    await nsv.ok('reload', 'a');
    expect(await answering()).not.toEqual(before);
  });

  it.each(['stop', 'delete', 'kill'])(
    'causes no file of root to be deleted if its directory becomes a link: %s',
    { tags: 'full' },
    async (command) => {
      const secret = nobody.secret('a.sock');
      await nobody.sh('mkdir run');
      await start(nobody.at('run/a.sock'), 'all');
      expect(await says()).toBe('listens\n');
      await nobody.sh(`mv run away && ln -s ${nobody.roots} run`);
      await nsv.ok(command, ...(command === 'kill' ? [] : ['a']));
      await eventually(() => helpers().length === 0);
      expect(readFileSync(secret, 'utf8')).toBe('secret of root\n');
    },
  );

  it('is not created below a link into a directory of root', async () => {
    await nobody.sh(`ln -s ${nobody.roots} run`);
    await start(nobody.at('run/a.sock'), 'all', '--no-wait');
    expect(await eventually(says)).toBe('failed: EACCES\n');
    expect(existsSync(join(nobody.roots, 'a.sock'))).toBe(false);
  });

  it('leaves a file alone that has taken its name', { tags: 'full' }, async () => {
    const path = nobody.at('a.sock');
    await start(path, 'all');
    expect(await says()).toBe('listens\n');
    await nobody.sh('rm a.sock; echo kept > a.sock');
    await nsv.ok('stop', 'a');
    await eventually(() => helpers().length === 0);
    expect(nobody.text('a.sock')).toBe('kept\n');
  });

  it('is bound again if the app has deleted its file as stale', { tags: 'full' }, async () => {
    const path = nobody.at('a.sock');
    await start(path, 'all');
    await says();
    const { ino } = statSync(path);
    await nobody.sh('rm a.sock');
    await nsv.ok('restart', 'a');
    await eventually(() => existsSync(path) && statSync(path).ino !== ino);
    expect(await pidBehind(path)).toBe((await nsv.list())[0]?.pid);
    expect(nobody.ownerOf(path)).toBe(nobody.uid);
  });

  it.each([
    // libuv says so for ENOENT: https://github.com/libuv/libuv/blob/v1.x/src/unix/pipe.c
    ['nowhere/a.sock', 'EACCES'],
    ['taken', 'EADDRINUSE'],
    ['closed/a.sock', 'EACCES'],
  ])('causes a listen error in the app if it cannot be bound: %s', { tags: 'full' }, async (name, code) => {
    await nobody.sh('touch taken; mkdir closed; chmod 500 closed');
    await start(nobody.at(name), 'all', '--no-wait');
    expect(await eventually(says)).toBe(`failed: ${code}\n`);
    await eventually(() => helpers().length === 0);
  });

  it('survives an update, and is removed when the app is stopped', { tags: 'full' }, async () => {
    const path = nobody.at('a.sock');
    await start(path, 'all');
    const { ino } = statSync(path);
    await nsv.ok('update');
    expect(statSync(path).ino).toBe(ino);
    expect(await pidBehind(path)).toBe((await nsv.list())[0]?.pid);
    await nsv.ok('stop', 'a');
    await isGone(path);
  });

  it('is replaced if it was left by a dead daemon, but not if an app serves on it', { tags: 'full' }, async () => {
    const path = nobody.at('a.sock');
    await start(path, 'all');
    const [before] = await nsv.list();
    await nsv.killDaemonAndGuard();
    process.kill(before!.pid!, 'SIGKILL');
    await nsv.list();
    expect(await eventually(async () => (await pidBehind(path)) !== 'ECONNREFUSED' && pidBehind(path))).not.toBe(
      before?.pid,
    );
    expect(await nsv.run('start', readable('listens-on-path.cjs'), ...other, '--', path, 'all')).toMatchObject({
      code: 0,
    });
    const [a, b] = await nsv.list();
    expect(await written(b!.outFile!)).toBe('failed: EADDRINUSE\n');
    expect(await pidBehind(path)).toBe(a?.pid);
  });

  it('is bound by its user for --listen too, for a program other than Node', { tags: 'full' }, async () => {
    const path = nobody.at('a.sock');
    const program = readable('tells-descriptors.py');
    await nsv.ok('start', program, ...asNobody, '--interpreter', '/usr/bin/python3', '--listen', path);
    expect(await ask(path)).toEqual({ ok: true, body: 'a' });
    expect(nobody.ownerOf(path)).toBe(nobody.uid);
    await nsv.ok('stop', 'a');
    await isGone(path);
  });
});

describe.skipIf(whyNoOtherUser)('a socket in a directory of root', { tags: 'full' }, () => {
  it('is not created for an app of another user that asks for it', async () => {
    const path = join(nobody.roots, 'a.sock');
    await start(path, 'all', '--no-wait');
    expect(await eventually(says)).toBe('failed: EACCES\n');
    expect(existsSync(path)).toBe(false);
  });

  it('is created if --listen names it, and belongs to the user of the app', async () => {
    const path = `/run/nsv-test-${process.pid}.sock`;
    await start(path, 'private', '--listen', path);
    expect(await says()).toBe('listens\n');
    expect([nobody.ownerOf(path), modeOf(path)]).toEqual([nobody.uid, 0o600]);
    expect(await pidBehind(path)).toBe((await nsv.list())[0]?.pid);
    await nsv.ok('stop', 'a');
    await isGone(path);
  });
});

describe.skipIf(whyNoOtherUser)('a port that only root may bind', () => {
  it('is refused to an app of another user that asks for it', { tags: 'full' }, async () => {
    const port = await freePortOfRoot();
    await start(String(port), 'all', '--no-wait');
    expect(await eventually(says)).toBe('failed: EACCES\n');
    expect(await ask(port)).toEqual({ ok: false, why: 'ECONNREFUSED' });
  });

  it('is given to it if --listen names it', { tags: 'full' }, async () => {
    const port = await freePortOfRoot();
    await start(String(port), 'all', '--listen', String(port));
    expect(await says()).toBe('listens\n');
    expect(await ask(port)).toEqual({ ok: true, body: String((await nsv.list())[0]?.pid) });
  });
});

// What goes wrong with apps, and what is said about it.
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveApp } from '../../../src/config/resolve.ts';
import { openConnection } from '../../../src/ipc/client.ts';
import { homePaths } from '../../../src/shared/paths.ts';
import { eventually } from '../../helpers/eventually.ts';
import { ask, bodies, freePort } from '../../helpers/http.ts';
import { hello, homeForEach, isAlive, launcher, processesWith, written } from '../../helpers/nsv.ts';
import { makeFifo } from '../../helpers/program.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

describe('start', () => {
  it('fails with the last lines of the error output if the app keeps exiting', async () => {
    const app = nsv.script('broken.cjs', 'console.error("no database here"); process.exit(3);');
    const { code, stderr } = await nsv.run('start', app, '--max-restarts', '2');
    expect(code).toBe(6);
    expect(stderr).toContain('no database here');
    expect(stderr).toContain('exit code 3');
    expect(await nsv.list()).toMatchObject([{ status: 'errored', restarts: 2, lastExit: { code: 3, signal: null } }]);
  });

  it('distinguishes a signal from an exit code', { tags: 'full' }, async () => {
    const app = nsv.script('suicidal.cjs', 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);');
    expect(await nsv.fails(6, 'start', app, '--max-restarts', '0')).toContain('signal SIGKILL');
    expect(await nsv.list()).toMatchObject([{ lastExit: { code: null, signal: 'SIGKILL' } }]);
  });

  it('waits for "ready" with --wait-ready, and fails if it does not arrive in time', async () => {
    const says = nsv.script('says.cjs', 'setTimeout(() => process.send("ready"), 300); setInterval(() => {}, 1000);');
    await nsv.ok('start', says, '--wait-ready');
    expect(await nsv.list()).toMatchObject([{ name: 'says', status: 'online' }]);

    const mute = nsv.script('mute.cjs', 'setInterval(() => {}, 1000);');
    expect(await nsv.fails(6, 'start', mute, '--wait-ready', '--listen-timeout', '500')).toContain('500ms');
    expect(await nsv.list('mute')).toMatchObject([{ status: 'starting' }]);
  });

  variants([
    { what: 'a file that is not there', words: ['start', 'no-such-file.js'], code: 3, names: 'no-such-file.js' },
    {
      what: 'an interpreter that is not there',
      words: ['start', hello, '--interpreter', 'no-such-thing'],
      code: 3,
      names: 'no-such-thing',
    },
    {
      what: 'a directory that is gone',
      words: ['start', hello, '--cwd', '/no/such/dir'],
      code: 3,
      names: '/no/such/dir',
    },
    { what: 'an option value', words: ['start', hello, '--kill-timeout', 'soon'], code: 2, names: 'soon' },
    { what: 'an option', words: ['start', hello, '--no-such-option'], code: 2, names: '--no-such-option' },
    { what: 'a command', words: ['strat', hello], code: 2, names: 'strat' },
    { what: 'a target', words: ['stop', 'nobody'], code: 4, names: 'daemon' },
  ])('names $what in its error, and leaves nothing half-started', async ({ words, code, names }) => {
    const ran = await nsv.run(...words);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(names);
    expect(ran.stdout).toBe('');
    expect(await nsv.list()).toEqual([]);
  });

  it('fails in a removed directory under nsv run, unless --cwd names another', { tags: 'full' }, async () => {
    const inGone = (...words: string[]) => {
      const script = 'mkdir gone; cd gone; rmdir ../gone; exec "$@"';
      return nsv.runWith({ program: '/bin/sh' }, '-c', script, 'sh', launcher, ...words);
    };
    expect(await inGone('list', '--json')).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(await inGone('run', '--cwd', '/', '--', 'pwd')).toMatchObject({ code: 0, stdout: '/\n' });
    const { code, stderr } = await inGone('run', '--', 'pwd');
    expect(code).toBe(3);
    expect(stderr).toMatch(/".*gone \(deleted\)" is not a directory/);
  });

  it('refuses the name of a running app and suggests a restart, unless --force is set', { tags: 'full' }, async () => {
    const port = String(await freePort());
    await nsv.ok('start', hello, '--', port);
    const [before] = await nsv.list();
    expect(await nsv.fails(5, 'start', hello, '--', port)).toMatch(/already running[\s\S]*nsv restart/);
    expect((await nsv.list())[0]!.pid).toBe(before!.pid);

    await nsv.ok('start', hello, '--force', '--', port);
    expect((await nsv.list())[0]!.pid).not.toBe(before!.pid);
  });

  it('gives a name to only one of two concurrent launches', { tags: 'full' }, async () => {
    await nsv.ok('start', hello, '--name', 'other', '--', '0');
    const { client, close } = await openConnection(homePaths(nsv.home));
    const app = await resolveApp({
      words: [hello, '0'],
      settings: {},
      cwd: nsv.directory,
      env: { ...process.env, NSV_HOME: nsv.home } as Record<string, string>,
    });
    const launches = [1, 2].map(() => client.launch({ app, wait: false, force: false, active: true }));
    const results = await Promise.allSettled(launches);
    close();
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    expect(processesWith(`NSV_HOME=${nsv.home}`, 'name=hello').length).toBe(1);
  });
});

describe('giving up', () => {
  it('runs the --on-giveup command, and logs a fatal line', async () => {
    const reported = join(nsv.directory, 'told');
    const command = `echo "$NSV_APP $NSV_MAX_RESTARTS $NSV_LAST_ERROR $NSV_REASON" > ${reported}`;
    await nsv.run('start', '/bin/false', '--max-restarts', '1', '--on-giveup', command);
    expect(await written(reported)).toMatch(/^false 1 exit code 1 exit code 1; gave up after 1 restart within/);
    expect(nsv.fatalLines()).toMatchObject([{ app: 'false', reason: expect.stringContaining('exit code 1') }]);
  });

  it('passes the command what the last process wrote to its error log', { tags: 'full' }, async () => {
    const reported = join(nsv.directory, 'told');
    const app = nsv.script('broken.cjs', 'console.error("no database\\nfor " + process.pid); process.exit(3);');
    // What the daemon's own memory is kept small with is not for others.
    const command = `echo "$NSV_LAST_ERROR$MALLOC_ARENA_MAX" > ${reported}`;
    await nsv.run('start', app, '--max-restarts', '1', '--on-giveup', command);
    expect(await written(reported)).toMatch(/^no database\nfor \d+\n$/);
  });

  it('does not wait for a line if the error log is a pipe with a reader', { tags: 'full' }, async () => {
    const pipe = join(nsv.directory, 'pipe');
    await makeFifo(pipe);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const { code, stderr } = await nsv.run('start', '/bin/false', '--error', pipe, '--max-restarts', '0');
    closeSync(reader);
    expect([code, stderr]).toEqual([6, expect.stringContaining('exit code 1')]);
  });

  it('leaves the other instances serving, and logs a fatal line', async () => {
    const port = await freePort();
    const app = nsv.script(
      'fragile.cjs',
      `require('http').createServer((request, response) => {
  if (request.url === '/throw') throw new Error('one bad request');
  response.end(String(process.pid));
}).listen(${port});`,
    );
    await nsv.ok('start', app, '-i', '2', '--max-restarts', '0', '--kill-timeout', '300ms');
    expect(await ask(port, { path: '/throw' })).toMatchObject({ ok: false });
    const errored = await eventually(async () => (await nsv.list()).find(({ status }) => status === 'errored'));
    expect(errored.reason).toContain('one bad request');
    const [serving] = (await nsv.list()).filter(({ status }) => status === 'online');
    expect(await bodies(port, 8)).toEqual(Array(8).fill(String(serving!.pid)));
    expect(nsv.fatalLines()).toMatchObject([
      { app: 'fragile', slot: errored.slot, lastError: errored.reason!.split(',')[0] },
    ]);
  });

  it('is followed by another attempt with --retry-after, with the sockets of --listen', { tags: 'full' }, async () => {
    const seen = join(nsv.directory, 'seen');
    const app = nsv.script('needs-socket.sh', `#!/bin/sh\necho "$LISTEN_FDS" >> ${seen}\nexit 1\n`);
    const port = String(await freePort());
    await nsv.run('start', app, '--listen', port, '--max-restarts', '0', '--retry-after', '50ms');
    const lines = await eventually(() => {
      const written = existsSync(seen) ? readFileSync(seen, 'utf8').trimEnd().split('\n') : [];
      return written.length >= 3 && written;
    });
    expect(new Set(lines)).toEqual(new Set(['1']));
    expect((await nsv.list())[0]!.restarts).toBeGreaterThanOrEqual(2);
  });

  it('does not prevent a manual restart, and nsv reset clears the counter', { tags: 'full' }, async () => {
    await nsv.run('start', '/bin/false', '--max-restarts', '1');
    expect(await nsv.list()).toMatchObject([{ status: 'errored', restarts: 1 }]);
    await nsv.run('restart', 'false');
    expect(await nsv.list()).toMatchObject([{ status: 'errored', restarts: 2 }]);
    await nsv.ok('reset', 'false');
    expect(await nsv.list()).toMatchObject([{ restarts: 0 }]);
  });
});

describe('a reload whose new version is broken', () => {
  it('keeps the old processes online, and prints the cause', async () => {
    const app = nsv.script(
      'app.cjs',
      readFileSync(hello, 'utf8').replace(/import .*/, "const { createServer } = require('node:http');"),
    );
    const port = String(await freePort());
    await nsv.ok('start', app, '-i', '2', '--', port);
    const before = (await nsv.list()).map(({ pid }) => pid!);

    nsv.script('app.cjs', 'throw new Error("broken at boot");');
    expect(await nsv.fails(6, 'reload', 'app')).toContain('broken at boot');
    expect((await nsv.list()).map(({ pid, status }) => [pid, status])).toEqual(before.map((pid) => [pid, 'online']));
    expect(before.every(isAlive)).toBe(true);
  });
});

describe('a working directory that no longer exists at a restart', () => {
  it('is not made again for the logs, and the app comes back with it', async () => {
    const [directory, away] = [join(nsv.directory, 'work'), join(nsv.directory, 'away')];
    mkdirSync(directory);
    const words = ['--cwd', directory, '--output', join(directory, 'logs/out.log'), '--no-wait'];
    await nsv.ok('start', '/bin/sleep', ...words, '--', '600');
    const [{ pid } = { pid: null }] = await nsv.list();
    renameSync(directory, away);
    process.kill(pid!, 'SIGKILL');
    await eventually(async () => (await nsv.ok('events', '--nostream')).includes(`"${directory}" is gone`));
    expect(existsSync(directory)).toBe(false);
    renameSync(away, directory);
    await eventually(async () => (await nsv.list())[0]?.status === 'online');
  });

  it('is named in the error', { tags: 'full' }, async () => {
    const directory = join(nsv.directory, 'work');
    mkdirSync(directory);
    await nsv.ok('start', '/bin/sleep', '--cwd', directory, '--', '600');
    rmdirSync(directory);
    expect(await nsv.fails(6, 'restart', 'sleep')).toContain(directory);
  });
});

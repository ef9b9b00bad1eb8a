// How a command comes by its daemon.
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchDaemon } from '../../../src/client/daemon-launch.ts';
import { openSession } from '../../../src/client/session.ts';
import { openConnection } from '../../../src/ipc/client.ts';
import { acquireLock } from '../../../src/os/lock/lock.ts';
import { readStat } from '../../../src/os/proc.ts';
import { bundle, run } from '../../helpers/bundle.ts';
import { eventually } from '../../helpers/eventually.ts';
import { processesWith } from '../../helpers/nsv.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';
import { serve } from '../../helpers/wire.ts';

let daemon: string;
let command: string;
let contender: string;
const home = temporaryHomeForEach('home');

beforeAll(async () => {
  const names = ['fixture-daemon', 'fixture-command', 'fixture-contender'];
  [daemon, command, contender] = (await Promise.all(names.map(bundle))) as [string, string, string];
});
afterAll(() => {
  for (const file of [daemon, command, contender]) rmSync(dirname(file), { recursive: true });
});
afterEach(async () => {
  await end();
  // The daemon answers before it has taken its files away, and its guard ends after it.
  await eventually(() => processesWith(`NSV_HOME=${home.paths.home}`).length === 0);
});

/** Ends the daemon of the home, if there is one. */
async function end(): Promise<void> {
  const running = await openConnection(home.paths).catch(() => undefined);
  await running?.client.kill({});
  running?.close();
}

/** A daemon program with this source. */
function program(source: string): string {
  const file = join(dirname(home.paths.home), 'broken.mjs');
  writeFileSync(file, source);
  return file;
}

async function launch(): Promise<number> {
  const { hello, close } = await launchDaemon(home.paths, { main: daemon });
  close();
  return hello.pid;
}

async function race(count: number): Promise<Set<string | undefined>> {
  const all = Array.from({ length: count }, () => run(command, home.paths.home, [daemon]));
  const pids = new Set(await Promise.all(all.map(({ line }) => line)));
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(Array(count).fill(0));
  return pids;
}

const loadLauncher = async () => launchDaemon;

describe('a session', () => {
  it('connects to the running daemon', async () => {
    mkdirSync(home.paths.home, { mode: 0o700 });
    const server = await serve(home.paths);
    const { hello, close } = await openSession({ launch: true, loadLauncher, paths: home.paths });
    expect(hello.pid).toBe(process.pid);
    close();
    await server.close();
  });

  it('does not mistake its own suspension for a silent daemon', { tags: 'full' }, async () => {
    await launch();
    const { client, close } = await openConnection(home.paths, { silence: 2_000 });
    const answer = client.ping({});
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    expect(await answer).toHaveProperty('pid');
    await new Promise((resolve) => setImmediate(resolve));
    expect(await client.ping({})).toHaveProperty('pid');
    close();
  });

  it('fails without creating anything if no daemon runs and it may not launch one', async () => {
    await expect(openSession({ launch: false, loadLauncher, paths: home.paths })).rejects.toMatchObject({
      code: 'DAEMON_NOT_RUNNING',
    });
    expect(existsSync(home.paths.home)).toBe(false);
  });

  it('is refused in a home that is not safe', async () => {
    writeFileSync(home.paths.home, '');
    await expect(openSession({ launch: true, loadLauncher, paths: home.paths })).rejects.toMatchObject({
      code: 'HOME_UNSAFE',
    });
  });
});

describe('a cold home', () => {
  it('gets one daemon from fifty commands at once', { tags: 'full' }, async () => {
    expect((await race(50)).size).toBe(1);
  });

  it('gets one daemon despite a stale socket and the pid of an unrelated process', { tags: 'full' }, async () => {
    const pid = await launch();
    process.kill(pid, 'SIGKILL');
    writeFileSync(home.paths.pid, '1\n');
    const pids = await race(20);
    expect(pids.size).toBe(1);
    expect(pids).not.toContain(String(pid));
  });

  it('gets no second daemon from a command that launches one when it is already there', async () => {
    const pid = await launch();
    const log = join(home.paths.home, 'daemon-start.log');
    writeFileSync(log, 'that of the first');
    expect(await launch()).toBe(pid);
    expect(readFileSync(log, 'utf8')).toBe('that of the first');
  });

  it('is taken over by a waiting command when the launching one is killed', async () => {
    mkdirSync(home.paths.home, { mode: 0o700 });
    const launcher = run(contender, home.paths.home, ['launch']);
    expect(await launcher.line).toBe('held');
    const waits: string[] = [];
    const launched = launchDaemon(home.paths, {
      main: daemon,
      onWait: (text) => {
        if (waits.length === 0) launcher.child.kill('SIGKILL');
        if (waits.at(-1) !== text) waits.push(text);
      },
    });
    (await launched).close();
    expect(waits).toEqual(['waiting for another command to launch the daemon', 'launching the daemon']);
  });
});

describe.runIf(process.platform === 'linux')('a launched daemon', () => {
  it('has the session of its guard, works in /, and reads from /dev/null', async () => {
    const pid = await launch();
    expect(readStat(pid)!.session).toBe(readStat(pid)!.parent);
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/');
    expect(readlinkSync(`/proc/${pid}/fd/0`)).toBe('/dev/null');
    expect(readlinkSync(`/proc/${pid}/fd/1`)).toBe('/dev/null');
    expect(readlinkSync(`/proc/${pid}/fd/2`)).toBe(join(home.paths.home, 'daemon-start.log'));
  });

  it('gets only the environment variables that are meant for it', async () => {
    Object.assign(process.env, { SECRET_OF_THE_SHELL: 'x', NODE_OPTIONS: '--no-warnings', LC_TIME: 'C' });
    const pid = await launch();
    for (const name of ['SECRET_OF_THE_SHELL', 'NODE_OPTIONS', 'LC_TIME']) delete process.env[name];
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    expect(environment).toContain(`NSV_HOME=${home.paths.home}`);
    expect(environment).toContain('LC_TIME=C');
    const names = environment.map((entry) => entry.split('=')[0]!);
    const meant =
      /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|LANG|LC_\w+|NSV_NODE|NSV_HOME|NSV_GUARD|MALLOC_\w+|PWD|OLDPWD|SHLVL|_)$/;
    expect(names.filter((name) => !meant.test(name))).toEqual([]);
  });

  it('holds no file of the shell open, whatever its number', async () => {
    const file = join(dirname(home.paths.home), 'lock');
    const fd = openSync(file, 'w');
    const stdio: ('ignore' | 'pipe' | number)[] = ['ignore', 'pipe', 'inherit', ...Array(198).fill('ignore')];
    for (const place of [3, 9, 60, 200]) stdio[place] = fd;
    const child = spawn(process.execPath, [command, daemon], {
      stdio,
      env: { ...process.env, NSV_HOME: home.paths.home },
    });
    closeSync(fd);
    const line = await new Promise<string>((resolve) => child.stdout!.once('data', (text) => resolve(String(text))));
    const folder = `/proc/${Number.parseInt(line, 10)}/fd`;
    const open = readdirSync(folder).map((name) => targetOf(join(folder, name)));
    expect(open).not.toContain(file);
    expect(open).toContain('/dev/null');
  });
});

/** Undefined for a descriptor that was closed meanwhile. */
function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(descriptor);
  } catch {
    return undefined;
  }
}

describe('a daemon supervised by the system', () => {
  it('is waited for when it has died, instead of being replaced', async () => {
    mkdirSync(home.paths.home, { mode: 0o700 });
    writeFileSync(home.paths.supervised, '');
    let server: ReturnType<typeof serve> | undefined;
    const onWait = (text: string) => {
      if (text.includes('waiting for the system')) server = serve(home.paths);
    };
    const { hello, close } = await launchDaemon(home.paths, { main: '/no/such/program.js', onWait });
    expect(hello.pid).toBe(process.pid);
    close();
    await (await server)?.close();
  });
});

describe('a daemon that does not come up', () => {
  it.each([
    { case: 'a mistake in its source', source: 'let let = 1;', says: /exited with code 1: SyntaxError/ },
    {
      case: 'an error',
      source: "throw new RangeError('no cheese')",
      says: /exited with code 1: RangeError: no cheese/,
    },
    { case: 'a permission', source: "import('node:fs').then((fs) => fs.readFileSync('/'))", says: /Error: EISDIR/ },
    {
      case: 'a message',
      source: "process.stderr.write('sorry\\n'); process.exit(7)",
      says: /exited with code 7: sorry/,
    },
    { case: 'nothing', source: 'process.exit(7)', says: /exited with code 7$/ },
    { case: 'a signal', source: "process.kill(process.pid, 'SIGKILL')", says: /killed by SIGKILL$/ },
  ])('is reported with its reason: $case', async ({ source, says }) => {
    const launched = launchDaemon(home.paths, { main: program(source) });
    await expect(launched).rejects.toMatchObject({ code: 'DAEMON_FAILED', message: expect.stringMatching(says) });
  });

  it('is reported with its last lines of output', async () => {
    const source =
      "process.stderr.write(Array.from({ length: 20 }, (_, n) => 'line ' + n).join('\\n')); process.exit(1)";
    const output = Array.from({ length: 15 }, (_, n) => `line ${n + 5}`);
    await expect(launchDaemon(home.paths, { main: program(source) })).rejects.toMatchObject({ output });
  });

  it('is reported when its program does not exist', async () => {
    const launched = launchDaemon(home.paths, { main: '/no/such/program.js' });
    await expect(launched).rejects.toMatchObject({ message: expect.stringContaining('Cannot find module') });
  });

  it('is not waited for beyond the deadline, nor left behind', { tags: 'full' }, async () => {
    const main = program('setInterval(() => {}, 1000)');
    const launched = launchDaemon(home.paths, { main, deadline: 700 });
    await expect(launched).rejects.toMatchObject({
      code: 'DAEMON_FAILED',
      message: expect.stringContaining('no answer after 0.7 s'),
    });
    await eventually(() => processesWith(`NSV_HOME=${home.paths.home}`).length === 0);
  });

  it('is explained when the socket of a running daemon was deleted', async () => {
    mkdirSync(home.paths.home, { mode: 0o700 });
    writeFileSync(home.paths.pid, '1\n');
    const launched = launchDaemon(home.paths, { main: program('setInterval(() => {}, 1000)'), deadline: 300 });
    await expect(launched).rejects.toThrow(/a daemon is running that has no socket, and "nsv doctor"/);
  });

  it('lets the next command try again', async () => {
    await expect(launchDaemon(home.paths, { main: program('process.exit(7)') })).rejects.toThrow();
    expect(await launch()).toBeGreaterThan(0);
  });

  it('is not waited for beyond the deadline by a command that may not launch it', async () => {
    mkdirSync(home.paths.home, { mode: 0o700 });
    const lock = await acquireLock(home.paths, 'launch');
    await expect(launchDaemon(home.paths, { main: daemon, deadline: 100 })).rejects.toMatchObject({
      code: 'DAEMON_FAILED',
    });
    lock?.release();
  });
});

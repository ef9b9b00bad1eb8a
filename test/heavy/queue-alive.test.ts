// Whom a queue takes for dead, with real processes: after a suspend, when the clock is set, while the file is locked, and cut off from Redis.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Queue, Store } from '../../queue/index.cjs';
import { createQueue, redisStore, sqliteStore } from '../../src/queue/index.ts';
import { openDatabase } from '../../src/queue/stores/sqlite/driver.ts';
import { installNsv } from '../helpers/app-library.ts';
import { eventually } from '../helpers/eventually.ts';
import { hasRedis, RedisServer } from '../helpers/redis.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

if (!hasRedis) console.log('no tests of the store in Redis: redis-server is not installed');
const faketime = ['/usr/lib', '/usr/lib64']
  .flatMap((folder) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, 'faketime')) : []))
  .map((folder) => join(folder, 'libfaketime.so.1'))
  .find((file) => existsSync(file));
if (!faketime) console.log('no tests of clocks that are set: libfaketime (the package faketime) is not installed');

const directory = temporaryDirectory(afterAll);
const program = join(directory, 'worker.mjs');
let redis: RedisServer | undefined;
beforeAll(async () => {
  installNsv(directory);
  // Each task says when it begins and how it ends, and takes as long as its signal lets it.
  writeFileSync(
    program,
    `import { createQueue, redisStore, sqliteStore } from 'nsv/queue';
     const { Q, FILE, REDIS, OPTIONS } = process.env;
     const store = REDIS ? redisStore({ connection: REDIS }) : sqliteStore({ file: FILE });
     const queue = createQueue(Q, { store, ...JSON.parse(OPTIONS) });
     queue.process(async ({ id, data }, { signal, token }) => {
       console.log('begins ' + id + ' ' + token);
       await new Promise((resolve) => {
         const timer = setTimeout(resolve, data ?? 300_000);
         signal.addEventListener('abort', () => {
           clearTimeout(timer);
           console.log('aborted ' + id + ': ' + signal.reason.message);
           resolve();
         });
       });
     });`,
  );
  if (hasRedis) redis = await RedisServer.start();
});
afterAll(() => redis?.remove());

interface Worker {
  child: ChildProcess;
  printed(): string;
}

/** A queue of its own, on which processes can work. */
function queueIn(kind: string, name: string, options: object = { concurrency: 2 }) {
  const file = join(directory, `${name}.sqlite`);
  const store: Store = kind === 'Redis' ? redisStore({ connection: redis!.url }) : sqliteStore({ file });
  const queue: Queue = createQueue(name, { store });
  onTestFinished(() => queue.close());
  async function work(env: NodeJS.ProcessEnv = {}): Promise<Worker> {
    const where = kind === 'Redis' ? { REDIS: redis!.url } : { FILE: file };
    const all = { ...process.env, Q: name, OPTIONS: JSON.stringify(options), ...where, ...env };
    const child = spawn(process.execPath, [program], { env: all, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let printed = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text) => {
        printed += text;
      });
    return { child, printed: () => printed };
  }
  return { queue, work, file };
}

const attempts = (queue: Queue, ...ids: string[]) =>
  Promise.all(ids.map(async (id) => (await queue.get(id))?.attempts));

/** Two processes, each of which works on one of the tasks. */
async function twoWorkers({ queue, work }: ReturnType<typeof queueIn>, env: NodeJS.ProcessEnv = {}) {
  const one = await work(env);
  await queue.add(undefined, { id: 'a' });
  await eventually(() => one.printed().includes('begins a'), 'the first task runs');
  // So that the other one takes the second task.
  one.child.kill('SIGSTOP');
  const other = await work(env);
  await queue.add(undefined, { id: 'b' });
  await eventually(() => other.printed().includes('begins b'), 'the second task runs');
  one.child.kill('SIGCONT');
  return [one, other] as const;
}

const kinds = ['SQLite', ...(hasRedis ? ['Redis'] : [])];

describe('a task of a process that lives', () => {
  it.each(kinds)('stays with it when all processes were stopped for 20 s: %s', async (kind) => {
    const all = queueIn(kind, `stopped-${kind}`);
    const workers = await twoWorkers(all);
    // Both have renewed.
    await after(6_000);
    for (const { child } of workers) child.kill('SIGSTOP');
    await after(20_000);
    for (const { child } of workers) child.kill('SIGCONT');
    await after(20_000);
    expect(await attempts(all.queue, 'a', 'b')).toEqual([1, 1]);
    for (const { printed } of workers) expect(printed()).not.toContain('aborted');
  });

  it('stays with it while the file is locked for 25 s', async () => {
    const all = queueIn('SQLite', 'locked');
    const workers = await twoWorkers(all);
    const other = openDatabase(all.file);
    other.exec('BEGIN IMMEDIATE');
    await after(25_000);
    other.exec('ROLLBACK');
    other.close();
    await after(20_000);
    expect(await attempts(all.queue, 'a', 'b')).toEqual([1, 1]);
    for (const { printed } of workers) expect(printed()).not.toContain('aborted');
  });

  it.skipIf(!faketime).each(['+20s', '-1h'])('stays with it when the clock is set by %s', async (by) => {
    const all = queueIn('SQLite', `clock${by.replace('+', '-')}`);
    const clock = join(directory, `clock${by}`);
    const env = clockFrom(clock);
    const workers = await twoWorkers(all, env);
    await after(6_000);
    writeFileSync(clock, `${by}\n`);
    await after(25_000);
    expect(await attempts(all.queue, 'a', 'b')).toEqual([1, 1]);
    for (const { printed } of workers) expect(printed()).not.toContain('aborted');
  });
});

describe('a clock that is set back by an hour', () => {
  it.skipIf(!faketime)('does not hold up a rate limit', async () => {
    const all = queueIn('SQLite', 'limit', { concurrency: 2, limit: { max: 1, per: 500 } });
    const clock = join(directory, 'clock-limit');
    const { printed } = await all.work(clockFrom(clock));
    for (let n = 0; n < 100; n += 1) await all.queue.add(1, { id: `t${n}` });
    const begun = () => printed().split('begins').length - 1;
    await eventually(() => begun() >= 3, 'some tasks have begun');
    writeFileSync(clock, '-1h\n');
    const before = begun();
    await eventually(() => begun() >= before + 3, 'more tasks begin');
  });

  it.skipIf(!faketime)('does not keep the tasks of a dead process', async () => {
    const all = queueIn('SQLite', 'dead');
    const clock = join(directory, 'clock-dead');
    const { child, printed } = await all.work(clockFrom(clock));
    await all.queue.add(undefined, { id: 'a' });
    await eventually(() => printed().includes('begins a'), 'the task runs');
    child.kill('SIGKILL');
    writeFileSync(clock, '-1h\n');
    const other = await all.work(clockFrom(clock));
    await eventually(() => other.printed().includes('begins a 2'), 'the task begins again', 40_000);
    expect(other.printed()).toContain('took 1 task of "dead" back from a process that gave no sign of life for 15 s');
  });
});

describe.skipIf(!hasRedis)('a process that is cut off from Redis', () => {
  it('gives its task up before another process gets it, which has a newer token', async () => {
    const all = queueIn('Redis', 'cut-off', { concurrency: 1 });
    const proxy = await silentProxy(redis!.port);
    const one = await all.work({ REDIS: `redis://127.0.0.1:${proxy.port}` });
    await all.queue.add(undefined, { id: 'a' });
    await eventually(() => one.printed().includes('begins a 1'), 'the task runs');
    const other = await all.work();
    proxy.silence();
    await eventually(() => one.printed().includes('aborted a'), 'the signal is aborted', 40_000);
    expect(other.printed()).not.toContain('begins');
    expect(one.printed()).toContain('aborted a: the store could not be reached for 13 s');
    await eventually(() => other.printed().includes('begins a 2'), 'the task begins again', 40_000);
    expect(await attempts(all.queue, 'a')).toEqual([2]);
  });
});

/** The clock of a process that is set by what the file says. */
function clockFrom(file: string): NodeJS.ProcessEnv {
  writeFileSync(file, '+0\n');
  const monotonic = { DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  return { LD_PRELOAD: faketime!, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', ...monotonic };
}

/** Leads to a port, until it passes nothing on any more, without a word. */
async function silentProxy(target: number) {
  let isSilent = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from.on('error', () => {}));
      from.on('data', (data) => isSilent || to.write(data));
      from.on('close', () => to.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as { port: number }).port,
    silence() {
      isSilent = true;
    },
  };
}

// Thousands of tasks while everything dies: a worker each second, the daemon once, Redis once, and two reloads.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createHome, launcher, root } from '../measure.mjs';
import { findings } from './findings.mjs';
import { queueFrom, startRedis, until } from './store.mjs';

const execute = promisify(execFile);

/** Returns what is wrong, and what has happened. */
export async function chaos({ store = 'sqlite', tasks = 10_000, processes = 4, concurrency = 2, ms = 5 } = {}) {
  const { home, env, nsv, daemonPid, dispose } = createHome();
  const directory = join(home, 'bench');
  mkdirSync(join(directory, 'node_modules'), { recursive: true });
  symlinkSync(root, join(directory, 'node_modules', 'nsv'));
  for (const name of ['worker.mjs', 'store.mjs'])
    writeFileSync(join(directory, name), readFileSync(new URL(name, import.meta.url)));
  const redis = store === 'redis' ? await startRedis(join(home, 'redis')) : undefined;
  const log = join(home, 'attempts');
  const variables = {
    QUEUE_LOG: log,
    QUEUE_OPTIONS: JSON.stringify({ concurrency, backoff: { delay: 100 } }),
    ...(redis ? { QUEUE_REDIS: redis.url } : { QUEUE_FILE: join(home, 'queues.sqlite') }),
  };
  writeFileSync(log, '');
  const run = (...words) => execute(launcher, words, { env: { ...env, ...variables }, cwd: directory });
  const queue = await queueFrom(variables);
  const kills = [];
  let isDone = false;
  try {
    await run(
      'start',
      'worker.mjs',
      '--name',
      'workers',
      '-i',
      String(processes),
      '--max-restarts',
      '100000',
      '--min-uptime',
      '50ms',
    );
    const added = addAll(queue, tasks, ms);
    const killing = killEachSecond();
    const faults = faultsOf();
    await added;
    await until(async () => {
      const counts = await queue.counts().catch(() => undefined);
      return counts && counts.completed + counts.failed === tasks;
    }, 600_000);
    isDone = true;
    await Promise.all([killing, faults]);
    const counts = await queue.counts();
    return { ...findings(readFileSync(log, 'utf8'), { tasks, concurrency, kills }), counts, kills: kills.length };
  } finally {
    isDone = true;
    await queue.close().catch(() => {});
    dispose();
    await redis?.stop();
    rmSync(home, { recursive: true, force: true });
  }

  async function killEachSecond() {
    while (!isDone) {
      await sleep(1_000);
      const pids = nsv('pid', 'workers').trim().split('\n').map(Number);
      const pid = pids[Math.floor(Math.random() * pids.length)];
      if (!(pid > 0)) continue;
      kills.push({ pid, at: process.hrtime.bigint() });
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }

  async function faultsOf() {
    await sleep(3_000);
    await run('reload', 'workers').catch(() => {});
    await sleep(2_000);
    process.kill(daemonPid(), 'SIGKILL');
    await sleep(500);
    await run('list');
    if (redis) {
      await redis.stop();
      await sleep(1_000);
      await redis.start();
    }
    await sleep(2_000);
    await run('reload', 'workers').catch(() => {});
  }
}

async function addAll(queue, tasks, ms) {
  for (let n = 0; n < tasks; n += 100) {
    const some = Array.from({ length: Math.min(100, tasks - n) }, (_, at) => n + at);
    await Promise.all(some.map((number) => addOne(queue, number, ms)));
  }
}

/** Again, if the store is gone for a moment: the id makes it one task. */
async function addOne(queue, n, ms) {
  for (;;) {
    try {
      return await queue.add({ n, ms }, { id: `task-${n}` });
    } catch (error) {
      if (error.code !== 'NSV_STORE') throw error;
      await sleep(200);
    }
  }
}

// The rate limit of a queue in Redis, over four processes on two "machines" (network namespaces), one of which is cut off and comes back. Needs root.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mostWithin } from './findings.mjs';
import { queueFrom, startRedis, until } from './store.mjs';

const worker = new URL('worker.mjs', import.meta.url).pathname;

/** `ms`: how long a task takes. Returns what is wrong, and what has happened. */
export async function rate({ tasks = 1_200, max = 50, per = 1_000, ms = 5, cutFor = 10_000 } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'nsv-bench-'));
  const machines = [createMachine(1), createMachine(2)];
  const redis = await startRedis(
    join(directory, 'redis'),
    machines.map(({ host }) => host),
  );
  const log = join(directory, 'attempts');
  writeFileSync(log, '');
  const options = JSON.stringify({ concurrency: 100, limit: { max, per } });
  const queue = await queueFrom({ QUEUE_REDIS: redis.url, QUEUE_OPTIONS: options });
  const workers = machines.flatMap(({ host, run }) => {
    const env = { ...process.env, QUEUE_LOG: log, QUEUE_OPTIONS: options, QUEUE_REDIS: redis.urlAt(host) };
    return [run([process.execPath, worker], env), run([process.execPath, worker], env)];
  });
  try {
    for (let n = 0; n < tasks; n += 1) await queue.add({ n, ms }, { id: `task-${n}` });
    const [, second] = machines;
    const begunBy = (from, to) => begins(log).filter(({ at }) => at >= from && at < to);
    const isOfSecond = ({ pid }) => workers.slice(2).some((one) => one.pid === pid);
    await until(() => begunBy(0, Infinity).some(isOfSecond));
    await sleep(5_000);
    const cutAt = now();
    second.cut(true);
    await sleep(cutFor);
    const backAt = now();
    second.cut(false);
    await until(async () => (await queue.counts()).completed === tasks);
    const meanwhile = begunBy(cutAt, backAt);
    const most = mostWithin(readFileSync(log, 'utf8'), per);
    const [first, last] = [begins(log)[0].at, begins(log).at(-1).at];
    const later = begunBy(backAt, Infinity).filter(isOfSecond).length;
    return {
      problems: [
        ...(most > max ? [`${most} tasks began within ${per} ms`] : []),
        ...(meanwhile.length === 0 ? ['nothing was done while one machine was cut off'] : []),
        ...(later === 0 ? ['the machine that came back did nothing'] : []),
      ],
      [`most within ${per} ms`]: most,
      'tasks per second': Math.round((tasks / (last - first)) * 1_000),
      'begun while one is cut off': {
        elsewhere: meanwhile.filter((one) => !isOfSecond(one)).length,
        there: meanwhile.filter(isOfSecond).length,
      },
      'begun by it when it is back': later,
    };
  } finally {
    for (const one of workers) one.kill('SIGKILL');
    await queue.close();
    await redis.stop();
    for (const machine of machines) machine.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A network namespace, which reaches this machine at `host`. */
function createMachine(number) {
  const [namespace, outside] = [`nsv-bench-${process.pid}-${number}`, `nsv${process.pid}-${number}`];
  const [host, own] = [1, 2].map((last) => `10.213.${number}.${last}`);
  ip('netns', 'add', namespace);
  ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
  ip('address', 'add', `${host}/30`, 'dev', outside);
  ip('-n', namespace, 'address', 'add', `${own}/30`, 'dev', 'eth0');
  ip('-n', namespace, 'link', 'set', 'eth0', 'up');
  ip('link', 'set', outside, 'up');
  return {
    host,
    run: (command, env) =>
      spawn('ip', ['netns', 'exec', namespace, ...command], { env, stdio: ['ignore', 'inherit', 'inherit'] }),
    cut: (isCut) => ip('link', 'set', outside, isCut ? 'down' : 'up'),
    remove: () => ip('netns', 'delete', namespace),
  };
}

function ip(...words) {
  execFileSync('ip', words);
}

function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** When each attempt began, in milliseconds, and in which process. */
function begins(log) {
  return readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , what]) => what === 'begin')
    .map(([at, pid]) => ({ at: Number(at) / 1e6, pid: Number(pid) }));
}

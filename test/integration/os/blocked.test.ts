// What can be seen of a Node process from outside.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { mayBePaused } from '../../../src/os/blocked/inspector.ts';
import { mainThreadOf, RunCount, threadTimesOf } from '../../../src/os/blocked/threads.ts';
import { startOf } from '../../../src/os/proc.ts';
import { eventually, sees } from '../../helpers/eventually.ts';

const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

/** Resolves with the pid when the program has printed something. */
async function run(source: string, ...options: string[]): Promise<number> {
  const child = spawn(process.execPath, [...options, '-e', source], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child.pid!;
}

const serve = `require('node:http').createServer(() => {}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

/** What is seen of the main thread once it sleeps, at a moment at which it has not run meanwhile. */
async function asleep(pid: number): Promise<ReturnType<typeof mainThreadOf>> {
  const count = new RunCount(pid);
  const seen = await eventually(() => {
    const before = count.read();
    const thread = sees('main thread', mainThreadOf(pid));
    return thread?.state === 'S' && before && count.read() === before ? thread : undefined;
  });
  count.close();
  return seen;
}

describe('the main thread', () => {
  it('waits for events in an idle program, and does not run', async () => {
    const pid = await run(serve);
    await eventually(() => mainThreadOf(pid)?.waitsForEvents === true);
    expect(await asleep(pid)).toEqual({ state: 'S', waitsForEvents: true });
  });

  it('does not wait for events in a program that waits for its child', async () => {
    const program = `['-c', 'echo now; exec sleep 600'], { stdio: 'inherit' }`;
    const pid = await run(`require('node:child_process').execFileSync('sh', ${program});`);
    expect(await asleep(pid)).toEqual({ state: 'S', waitsForEvents: false });
  });

  it('runs and uses CPU time in a busy loop, and shows when it is stopped', async () => {
    const pid = await run(`console.log('now'); for (;;);`);
    await eventually(() => mainThreadOf(pid)?.state === 'R');
    const before = threadTimesOf(pid).get(pid)!;
    await eventually(() => threadTimesOf(pid).get(pid)!.ran >= before.ran + 20);
    expect(threadTimesOf(pid).size).toBeGreaterThan(1);
    process.kill(pid, 'SIGSTOP');
    await eventually(() => mainThreadOf(pid)?.state === 'T');
    expect(threadTimesOf(pid).get(pid)!.isRunnable).toBe(false);
  });

  it('has a run count that grows with its activity, and is undefined once it is gone', async () => {
    const pid = await run(`console.log('now'); setInterval(() => {}, 5);`);
    const count = new RunCount(pid);
    const before = count.read()!;
    await eventually(() => count.read()! > before);
    process.kill(pid, 'SIGKILL');
    await eventually(() => count.read() === undefined);
    count.close();
  });

  it('is unknown for a process that is gone', () => {
    expect([mainThreadOf(2 ** 22 + 1), new RunCount(2 ** 22 + 1).read(), threadTimesOf(2 ** 22 + 1).size]).toEqual([
      undefined,
      undefined,
      0,
    ]);
  });
});

describe('a process that waits without CPU', () => {
  const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
  const waiting = (pid: number) => eventually(() => startOf(`/proc/${pid}/wchan`).startsWith('futex'));

  it('may be paused by a debugger if its inspector is open, whatever else it listens on', async () => {
    const pid = await run(`console.log('now'); ${wait}`, '--inspect=127.0.0.1:0');
    await waiting(pid);
    expect(mayBePaused(pid, new Set([80]))).toBe(true);
  });

  it('is not paused if it has no inspector', async () => {
    const pid = await run(`console.log('now'); ${wait}`);
    await waiting(pid);
    expect(mayBePaused(pid, new Set())).toBe(false);
  });

  it('is not paused if it only listens as a server', async () => {
    const child = spawn(
      process.execPath,
      ['-e', serve.replace('}).listen', `}).on('listening', () => setTimeout(() => { ${wait} }, 10)).listen`)],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    children.push(child);
    const [port] = await once(child.stdout, 'data');
    await waiting(child.pid!);
    expect(mayBePaused(child.pid!, new Set([Number(String(port))]))).toBe(false);
  });

  it('is not paused if it waits for its child', async () => {
    const source = `console.log('now'); require('node:child_process').execFileSync('sleep', ['600']);`;
    const pid = await run(source, '--inspect=127.0.0.1:0');
    await eventually(() => mainThreadOf(pid)?.state === 'S' && /^(do_)?ep/.test(startOf(`/proc/${pid}/wchan`)));
    expect(mayBePaused(pid, new Set())).toBe(false);
  });
});

// What can be seen of a Node process from outside.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mayBePaused } from '../../../src/os/blocked/inspector.ts';
import { mainThreadOf, RunCount, threadTimesOf } from '../../../src/os/blocked/threads.ts';
import { startOf } from '../../../src/os/proc.ts';
import { eventually, sees } from '../../helpers/eventually.ts';
import { endChild } from '../../helpers/proc.ts';

/** Resolves with the pid and what the program has printed first. */
async function printing(source: string, ...options: string[]): Promise<[pid: number, text: string]> {
  const child = spawn(process.execPath, [...options, '-e', source], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => endChild(child));
  const [text] = await once(child.stdout, 'data');
  return [child.pid!, String(text)];
}

const run = async (source: string, ...options: string[]) => (await printing(source, ...options))[0];

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
    const blocks = `}).on('listening', () => setTimeout(() => { ${wait} }, 10)).listen`;
    const [pid, port] = await printing(serve.replace('}).listen', blocks));
    await waiting(pid);
    expect(mayBePaused(pid, new Set([Number(port)]))).toBe(false);
  });

  it('is not paused if it waits for its child', async () => {
    const source = `console.log('now'); require('node:child_process').execFileSync('sleep', ['600']);`;
    const pid = await run(source, '--inspect=127.0.0.1:0');
    await eventually(() => mainThreadOf(pid)?.state === 'S' && /^(do_)?ep/.test(startOf(`/proc/${pid}/wchan`)));
    expect(mayBePaused(pid, new Set())).toBe(false);
  });
});

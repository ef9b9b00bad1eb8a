// What becomes of running tasks at the end of a process, without nsv.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Queue } from '../../../queue/index.cjs';
import { createQueue, sqliteStore } from '../../../src/queue/index.ts';
import { installNsv } from '../../helpers/app-library.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'nsv-queue-end-'));
  installNsv(directory);
});
afterAll(() => rmSync(directory, { recursive: true }));

/** The queue of a process of its own, which has begun the first of two tasks; `work` is the body of its handler. */
async function working(name: string, work: string, options = ''): Promise<{ queue: Queue; child: ChildProcess }> {
  const file = join(directory, `${name}.sqlite`);
  const queue = createQueue('q', { store: sqliteStore({ file }) });
  onTestFinished(() => queue.close());
  await queue.add(1, { id: 'first' });
  await queue.add(2, { id: 'second' });
  const program = join(directory, `${name}.mjs`);
  writeFileSync(
    program,
    `import { setTimeout as sleep } from 'node:timers/promises';
     import { onShutdown, setShutdownTimeout } from 'nsv/app';
     import { createQueue, sqliteStore } from 'nsv/queue';
     setShutdownTimeout(2_000);
     onShutdown(() => console.log('the database is closed'));
     const queue = createQueue('q', { store: sqliteStore({ file: ${JSON.stringify(file)} }), ${options} });
     queue.process(async (task, { signal }) => {
       console.log('begins ' + task.id);
       ${work}
       console.log('ends ' + task.id);
     });`,
  );
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { queue, child };
}

/** All that it prints; SIGTERM is sent with the first line. */
async function ended(child: ChildProcess): Promise<{ code: number; lines: string[] }> {
  let printed = '';
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    if (printed === '') child.kill('SIGTERM');
    printed += text;
  });
  const [code] = await once(child, 'close');
  return { code, lines: printed.trim().split('\n') };
}

describe('the end of a process', () => {
  it('finishes the running task before the handlers are called, and begins no other', async () => {
    const { queue, child } = await working('finishes', 'await sleep(200);');
    expect(await ended(child)).toEqual({ code: 0, lines: ['begins first', 'ends first', 'the database is closed'] });
    expect(await queue.get('first')).toMatchObject({ state: 'completed', attempts: 1 });
    expect(await queue.get('second')).toMatchObject({ state: 'pending', attempts: 0 });
  });

  it.each([
    ['that heeds its signal', 'heeds', 'await sleep(60_000, undefined, { signal });'],
    ['that hangs', 'hangs', 'await new Promise(() => {});'],
  ])('gives back a task %s when the time is over, without counting anything', async (_what, name, work) => {
    const { queue, child } = await working(name, work);
    expect(await ended(child)).toEqual({ code: 0, lines: ['begins first', 'the database is closed'] });
    expect(await queue.get('first')).toMatchObject({ state: 'pending', attempts: 0 });
    expect((await queue.list('pending')).map(({ id }) => id)).toEqual(['first', 'second']);
  });

  it('comes by itself for a handler that ignores its signal, if the queue wants it', { tags: 'full' }, async () => {
    const options = `timeout: 100, onTimeout: 'exit', retries: 0`;
    const { queue, child } = await working('exits', 'await new Promise(() => {});', options);
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(await queue.get('first')).toMatchObject({ state: 'failed', error: 'took longer than 100 ms' });
    expect(await queue.get('second')).toMatchObject({ state: 'pending', attempts: 0 });
  });
});

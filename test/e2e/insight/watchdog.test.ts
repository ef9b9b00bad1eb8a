// Apps with `--watchdog`.
import { chmodSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { StackView } from '../../../src/client/stacks/stack.ts';
import type { ProcessView } from '../../../src/ipc/views.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { whyNoOtherUser } from '../../helpers/foreign.ts';
import { ask, bodies, freePort } from '../../helpers/http.ts';
import { homeForEach, isAlive } from '../../helpers/nsv.ts';
import { request, Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
let port: number;

beforeEach(async () => {
  port = await freePort();
});

/** Each path but `/` blocks the process right after the answer. */
const source = () => `const http = require('node:http');
const blocks = {
  '/spin': function culprit() { for (;;); },
  '/wait': function waiter() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); },
  '/exec': function parent() { require('node:child_process').execFileSync('sleep', ['600']); },
};
http.createServer((request, response) => {
  response.end(String(process.pid));
  if (blocks[request.url]) response.on('finish', blocks[request.url]);
}).listen(${port});`;

const warned = (text: string) => eventually(async () => (await nsv.ok('events', '--nostream')).includes(text));
const pids = async () => (await nsv.list()).map(({ pid }) => pid!);

/** Blocks one process, and resolves with its pid. It cannot close the connection any more. */
const block = async (path: string) => Number(await request({ port, path }));

/** The reason of the event about this process. */
const reasonFor = (pid: number) =>
  eventually(() => {
    const blocked = nsv.logLines().find((line) => line.msg === 'blocked' && line.pid === pid);
    return blocked?.reason as string | undefined;
  });

describe('a blocked process', () => {
  it('is replaced without losing a new connection, and its death record has the stack', async () => {
    const file = nsv.script('app.cjs', source());
    await nsv.ok('start', file, '-i', '2', '--watchdog', '1s');
    const pid = await block('/spin');
    const newConnections = new Visitors(4, { port, think: 5 });
    await eventually(async () => !(await pids()).includes(pid));
    await eventually(() => !isAlive(pid));
    expect(await newConnections.leave()).toEqual([]);
    expect(newConnections.answers).not.toContain(String(pid));
    expect(await reasonFor(pid)).toMatch(
      new RegExp(`^event loop blocked for \\d+s, using \\d+ % of a CPU \\(limit 1s\\); in culprit \\(${file}:3\\)$`),
    );
    expect((await nsv.list()).map(({ restarts }) => restarts).sort()).toEqual([0, 1]);
    const deaths = JSON.parse(await nsv.ok('deaths', 'app', '--json'));
    expect(deaths).toMatchObject([
      {
        pid,
        cause: 'blocked loop',
        next: 'replaced',
        stack: expect.arrayContaining([expect.objectContaining({ function: 'culprit', file, line: 3 })]),
      },
    ]);
  });

  it('is found without CPU time by the next daemon too, and killed if it does not exit', { tags: 'full' }, async () => {
    const app = nsv.script('app.cjs', `process.on('SIGTERM', () => {});\n${source()}`);
    await nsv.ok('start', app, '--watchdog', '1s', '--kill-timeout', '1s');
    const parent = await block('/exec');
    await nsv.replaceDaemon();
    await eventually(() => !isAlive(parent));
    await eventually(async () => (await nsv.list()).every(({ pid, status }) => pid !== parent && status === 'online'));
    expect(await reasonFor(parent)).toContain(
      'no stack: it probably waits for a child process; its child processes: sleep 600',
    );
    const waiter = await block('/wait');
    await eventually(async () => (await pids())[0] !== waiter);
    expect(await reasonFor(waiter)).toContain('in waiter (');
    await eventually(() => !isAlive(parent) && !isAlive(waiter));
  });
});

describe('a blocked process that cannot be attached to', { tags: 'full' }, () => {
  it('reports its stack from a thread that the app does not notice', async () => {
    const app = `process.on('SIGUSR1', () => {});
process.on('worker', () => console.log('a thread'));
console.log('descriptors', fs.readdirSync('/proc/self/fd').length);`;
    const file = nsv.script('app.cjs', `const fs = require('node:fs');\n${app}\n${source()}`);
    await nsv.ok('start', file, '--watchdog', '1h', '--kill-timeout', '1s');
    await block('/wait');
    const [view] = JSON.parse(await nsv.ok('stack', 'app', '--json')) as [StackView];
    expect(view).toMatchObject({ state: 'blocked', problem: null });
    expect(view.frames.slice(0, 2)).toMatchObject([{ function: 'wait' }, { function: 'waiter', file, line: 8 }]);
    const [{ outFile, errorFile }] = (await nsv.list()) as [ProcessView];
    expect([readFileSync(outFile!, 'utf8'), readFileSync(errorFile!, 'utf8')]).toEqual([
      expect.stringMatching(/^descriptors \d+\n$/),
      '',
    ]);
  });

  it('reports its stack under nsv run', async () => {
    const run = new Foreground(nsv, [nsv.script('app.cjs', source()), '--watchdog', '1s']);
    await eventually(async () => (await ask(port)).ok);
    await block('/spin');
    await run.prints(/event loop blocked for .*; in culprit \(/);
    await eventually(async () => (await ask(port)).ok);
    run.sends('SIGTERM');
    await run.ended;
  });

  it.skipIf(whyNoOtherUser)('reports its stack as another user', async () => {
    const file = nsv.script('app.cjs', source());
    chmodSync(nsv.directory, 0o755);
    await nsv.ok('start', file, '--uid', 'nobody', '--cwd', '/', '--watchdog', '1s');
    expect(await reasonFor(await block('/wait'))).toContain(`in waiter (${file}:4)`);
    await eventually(async () => (await ask(port)).ok);
  });
});

describe('a process that is not blocked', { tags: 'full' }, () => {
  it('is not replaced while it is suspended or paused by a debugger', async () => {
    const options = ['-i', '2', '--watchdog', '1s', '--node-args', '--inspect=127.0.0.1:0'];
    await nsv.ok('start', nsv.script('app.cjs', source()), ...options);
    const [stopped, paused] = (await nsv.list()) as [ProcessView, ProcessView];
    process.kill(stopped.pid!, 'SIGSTOP');
    const debuggerOf = await pause(paused);
    await warned(`process ${stopped.pid} has not turned its event loop for 1s, but it is stopped`);
    await warned(`process ${paused.pid} has not turned its event loop for 1s, but it uses no CPU`);
    process.kill(stopped.pid!, 'SIGCONT');
    debuggerOf.close();
    await eventually(async () => new Set(await bodies(port, 8)).size === 2);
    expect(await pids()).toEqual([stopped.pid, paused.pid]);
    expect(nsv.log()).not.toContain('"replace"');
  });

  it.each([
    [
      'is no Node program',
      ['/bin/sleep', '--watchdog', '10s', '--', '600'],
      /--watchdog works only for Node programs, and "\/bin\/sleep" is not one/,
    ],
    [
      'would be replaced after less than a second',
      ['app.cjs', '--watchdog', '500ms'],
      /--watchdog must be at least 1s, or 0 for never, not "500ms"/,
    ],
  ])('is not started with --watchdog if it %s', async (_, words, problem) => {
    nsv.script('app.cjs', source());
    expect(await nsv.fails(2, 'start', ...words)).toMatch(problem);
    expect(await nsv.list()).toEqual([]);
  });
});

/** Connects to its inspector and has it pause. */
async function pause({ errorFile, pid }: ProcessView): Promise<WebSocket> {
  const [address] = await eventually(
    () => /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+(?=\s)/.exec(readFileSync(errorFile!, 'utf8')) ?? undefined,
  );
  return new Promise((resolve, reject) => {
    const client = new WebSocket(address);
    client.on('open', () => {
      client.send(JSON.stringify({ id: 1, method: 'Debugger.enable' }));
      client.send(JSON.stringify({ id: 2, method: 'Debugger.pause' }));
      // It pauses in the next function that it calls.
      client.send(JSON.stringify({ id: 3, method: 'Runtime.evaluate', params: { expression: 'Date()' } }));
    });
    client.on('message', (text) => String(text).includes('"Debugger.paused"') && resolve(client));
    client.on('error', reject).on('close', () => reject(new Error(`${pid} has closed the connection`)));
  });
}

// `nsv stack` of processes whose event loop is blocked.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StackView } from '../../../src/client/stacks/stack.ts';
import { attachFlag } from '../../../src/ipc/worker-messages.ts';
import { eventually } from '../../helpers/eventually.ts';
import { homeForEach, isAlive } from '../../helpers/nsv.ts';
import { endChild } from '../../helpers/proc.ts';

const nsv = homeForEach();

/** Until the file `go` is there. */
const spin = `while (!require('node:fs').existsSync('go'));`;
const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

interface Started {
  stack(): Promise<StackView>;
  /** What it has printed. */
  output(): string;
  errors(): string;
  pid: number;
}

/** Starts an app that says when it is about to block itself. */
async function startBlocking(
  action: string,
  { before = '', after = '', options = [] as string[] } = {},
): Promise<Started> {
  const source = `${before}\nsetTimeout(function culprit() {\n  console.log('now');\n  ${action}\n  ${after}\n}, 10);`;
  await nsv.ok('start', nsv.script('app.js', source), '--cwd', nsv.directory, '--name', 'app', ...options);
  const [view] = await nsv.list('app');
  const output = () => readFileSync(view!.outFile!, 'utf8');
  await eventually(() => output().includes('now'));
  return {
    stack: async () => (JSON.parse(await nsv.ok('stack', 'app', '--json')) as StackView[])[0]!,
    output,
    errors: () => readFileSync(view!.errorFile!, 'utf8'),
    pid: view!.pid!,
  };
}

const go = () => writeFileSync(join(nsv.directory, 'go'), '');

describe('a process that is blocked', () => {
  it('reports where it spins, keeps running, and leaves no inspector open', async () => {
    const printUrl = `console.log('url ' + require('node:inspector').url());`;
    // What else is in its error log may be text of its clients.
    const before =
      `require('node:child_process').spawn('sh', ['-c', 'while :; do echo ws://127.0.0.1:9/x >&2; sleep 0.02; done'],
      { stdio: 'inherit' });`.replaceAll('\n', '');
    const app = await startBlocking(spin, { before, after: `${printUrl} setInterval(() => { ${printUrl} }, 10);` });
    const { state, problem, frames } = await app.stack();
    expect([state, problem]).toEqual(['blocked', null]);
    expect(frames).toContainEqual({ function: 'culprit', file: join(nsv.directory, 'app.js'), line: 4 });
    expect(app.errors()).toContain('Debugger listening on ws://127.0.0.1:');
    go();
    // Node opens it once more when the event loop turns.
    await eventually(() => app.output().endsWith('url undefined\nurl undefined\nurl undefined\n'));
    expect(app.output()).toMatch(/^now\nurl undefined\n/);
  });

  it('reports where it waits for another thread', { tags: 'full' }, async () => {
    const app = await startBlocking(wait);
    const { state, frames } = await app.stack();
    expect(state).toBe('blocked');
    expect(frames.slice(0, 2).map((frame) => frame.function)).toEqual(['wait', 'culprit']);
  });

  it('is shown with its child process if it waits for one', { tags: 'full' }, async () => {
    const app = await startBlocking(`require('node:child_process').spawnSync('sleep', ['600']);`);
    const { state, problem, kernel } = await app.stack();
    expect([state, problem]).toEqual(['blocked', 'it probably waits for a child process']);
    expect(kernel!.children.map(({ command }) => command)).toEqual(['sleep 600']);
    expect(app.errors()).toBe('');
  });

  it.each([
    ['has a listener for SIGUSR1', { before: `process.on('SIGUSR1', () => console.log('mine'));` }],
    ['had a listener for SIGUSR1', { before: `process.once('SIGUSR1', Date).removeAllListeners('SIGUSR1');` }],
    ['has its inspector open', { options: ['--node-args', '--inspect=127.0.0.1:0'] }],
  ])('is left alone if it %s', { tags: 'full' }, async (_what, how) => {
    const app = await startBlocking(wait, how);
    const { state, problem, kernel } = await app.stack();
    expect([state, problem]).toEqual(['blocked', 'its inspector is in use or cannot be opened from outside']);
    expect(kernel!.state).toBe('S');
    expect(isAlive(app.pid)).toBe(true);
    expect(app.output()).toBe('now\n');
  });

  it('is left alone if others can read its error log', { tags: 'full' }, async () => {
    chmodSync(nsv.directory, 0o755);
    const errors = join(nsv.directory, 'errors.log');
    writeFileSync(errors, '');
    chmodSync(errors, 0o644);
    const app = await startBlocking(wait, { options: ['--error', errors] });
    expect(await app.stack()).toMatchObject({ state: 'blocked', problem: 'other users can read its error log' });
    expect(app.errors()).toBe('');
  });
});

describe('the inspector of a blocked process', { tags: 'full' }, () => {
  it('prints its address on standard error only', async () => {
    const source = `process.debugPort = 0; console.log('now'); ${wait}`;
    const child = spawn(process.execPath, [attachFlag, '-e', source]);
    onTestFinished(() => endChild(child));
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
    await once(child.stdout, 'data');
    child.kill('SIGUSR1');
    const address = await eventually(() => /ws:\/\/(127\.0\.0\.1:\d+)\//.exec(errors)?.[1]);
    for (const path of ['/json', '/json/list', '/json/version'])
      expect((await fetch(`http://${address}${path}`)).status).toBe(404);
  });
});

// What a user can send of a bug in nsv: a stack that names functions, and places in lines that a person can read.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { FallingDaemon } from '../../helpers/falling-daemon.ts';
import { homeForEach, root } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const preload = join(root, 'test', 'fixtures', 'cli', 'throws.cjs');

/** The functions that a stack names, from the innermost on, each with its bundle. */
const calls = (stack: string) =>
  [...stack.matchAll(/at (?:async )?(\S+) \(\S*\/(dist\/[\w/-]+\.js):\d+:\d+\)/g)].map(([, ...names]) =>
    names.join(' '),
  );

describe('a bug', () => {
  it('is printed with the places of its calls if it is in a command', async () => {
    const env = { NODE_OPTIONS: `--require ${preload}`, NSV_TEST_BUG: 'in what it calls', NSV_HOME: undefined };
    const { code, stderr } = await nsv.runWith({ env }, 'list');
    expect(code).toBe(70);
    expect(stderr).toContain('TypeError: thrown on purpose');
    expect(calls(stderr)[0]).toBe('homeDirectory dist/cli/command-line.js');
    expect(calls(stderr).at(-1)).toBe('runProgram dist/cli/command-line.js');
  });

  it('is reported as an internal error if it is in a callback of a command', { tags: 'full' }, async () => {
    const env = { NODE_OPTIONS: `--require ${preload}`, NSV_TEST_BUG: 'in a callback' };
    const { code, stderr } = await nsv.runWith({ env }, 'list');
    expect(code).toBe(70);
    expect(stderr).toContain('nsv: internal error: thrown on purpose');
  });

  it('does not prevent "nsv run" from ending if it is in the shutdown', { tags: 'full' }, async () => {
    const env = { NODE_OPTIONS: `--require ${preload}`, NSV_TEST_BUG: 'when it ends' };
    const { code, stderr } = await nsv.runWith({ env }, 'run', '/bin/true');
    expect(code).toBe(1);
    expect(stderr).toContain('cannot stop in order');
    expect(calls(stderr)).toEqual([expect.stringMatching(/^Object\.release dist\/cli\/run-\w+\.js$/)]);
  });

  it('is logged with the places of its calls if it ends the daemon', async () => {
    const daemon = new FallingDaemon(nsv);
    await daemon.launch();
    daemon.command({ call: 'spawn', word: 'sleep', how: 'reject' });
    await nsv.run('start', '/bin/sleep', '--', '600');
    const fatal = await eventually(() => nsv.fatalLines()[0]);
    expect(fatal).toMatchObject({ err: { type: 'Error', message: 'rejected on purpose' } });
    const { stack } = fatal.err as { stack: string };
    expect(calls(stack)[0]).toBe('spawnChild dist/daemon/main.js');
  });
});

// What a user can send of a bug in nsv: a stack that names lines of src.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { FallingDaemon } from '../../helpers/falling-daemon.ts';
import { homeForEach, root } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const preload = join(root, 'test', 'fixtures', 'cli', 'throws.cjs');

/** The lines of sources that a stack names, from the innermost on. */
const sourceLines = (stack: string) =>
  [...stack.matchAll(/\bsrc\/[\w/-]+\.ts:(\d+)/g)].map(([place, line]) => {
    const file = place.slice(0, place.lastIndexOf(':'));
    return [file, readFileSync(join(root, file), 'utf8').split('\n')[Number(line) - 1]];
  });

describe('a bug', () => {
  it('is printed with source lines if it is in a command', async () => {
    const env = { NODE_OPTIONS: `--require ${preload}`, NSV_TEST_BUG: 'in what it calls', NSV_HOME: undefined };
    const { code, stderr } = await nsv.runWith({ env }, 'list');
    expect(code).toBe(70);
    expect(stderr).toContain('TypeError: thrown on purpose');
    expect(stderr).not.toContain('dist/');
    const lines = sourceLines(stderr);
    expect(lines[0]).toEqual(['src/shared/paths.ts', expect.stringContaining('homedir()')]);
    // The innermost is in another bundle than the outermost.
    expect(lines.at(-1)).toEqual(['src/cli/command-line.ts', expect.stringContaining('runProgram(')]);
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
    const lines = sourceLines(stderr);
    expect(lines.at(-1)).toEqual(['src/run/main.ts', expect.stringContaining('release()')]);
  });

  it('is logged with source lines if it ends the daemon', async () => {
    const daemon = new FallingDaemon(nsv);
    await daemon.launch();
    daemon.command({ call: 'spawn', word: 'sleep', how: 'reject' });
    await nsv.run('start', '/bin/sleep', '--', '600');
    const fatal = await eventually(() => nsv.fatalLines()[0]);
    expect(fatal).toMatchObject({ err: { type: 'Error', message: 'rejected on purpose' } });
    const { stack } = fatal.err as { stack: string };
    expect(stack).not.toContain('dist/');
    const frames = sourceLines(stack);
    expect(frames[0]).toEqual(['src/os/spawn-child.ts', expect.stringContaining('spawn(')]);
  });
});

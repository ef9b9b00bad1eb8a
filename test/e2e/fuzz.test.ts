// A short part of the fuzzer, always the same: bench/README.md.
// @module-tag full
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../helpers/nsv.ts';
import { finish } from '../helpers/program.ts';

describe.skipIf(process.platform !== 'linux')('the fuzzer finds nothing', () => {
  it.each([
    ['socket', 'in the messages of clients', 120],
    ['worker', 'in what processes tell their daemon', 2],
    ['state', 'in state files', 4],
    ['saved', 'in saved lists', 4],
    ['config', 'in config files', 150],
    ['names', 'in the names of apps and files', 11],
  ])('%s: %s', async (target, _, cases) => {
    const program = join(root, 'bench', 'fuzz', 'main.mjs');
    const words = [program, '--target', target, '--seed', '1', '--cases', String(cases)];
    const { code, stdout, stderr } = await finish(process.execPath, words);
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  });
});

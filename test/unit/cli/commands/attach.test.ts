import { describe, expect, it } from 'vitest';
import { processView, run } from '../fake-context.ts';

const outFile = '/dev/null';
const files = (id: number) => processView({ id, slot: id, outFile, errorFile: outFile });

describe('nsv attach', () => {
  it('forwards what is typed, after checking that the process has an input', async () => {
    const { calls } = await run(['attach', 'web'], { daemon: { logs: async () => [files(3)] }, input: ['a\n', 'b'] });
    expect(calls).toEqual([
      ['logs', { targets: ['web'] }],
      ['send', { targets: ['3'], text: '' }],
      ['send', { targets: ['3'], text: 'a\n' }],
      ['send', { targets: ['3'], text: 'b' }],
    ]);
  });

  it('requires a single process', async () => {
    const attempt = run(['attach', 'web'], { daemon: { logs: async () => [files(0), files(1)] } });
    await expect(attempt).rejects.toMatchObject({ code: 'BAD_USAGE', message: expect.stringContaining('0, 1') });
  });
});

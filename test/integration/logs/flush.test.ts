// `nsv flush`: which files it empties, and what it says.
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { LogFilesView } from '../../../src/ipc/views.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { makeFifo } from '../../helpers/program.ts';
import { processView, run } from '../../unit/cli/fake-context.ts';

const at = directoryForEach();

function flush(views: LogFilesView[], ...words: string[]) {
  return run(['flush', ...words], { daemon: { logs: async () => views } });
}

describe('nsv flush', () => {
  it('empties each file of the targets once, and lists them', async () => {
    writeFileSync(at('shared.log'), 'x'.repeat(2048));
    writeFileSync(at('err.log'), 'y'.repeat(10));
    const files = { outFile: at('shared.log'), errorFile: at('err.log') };
    const { stdout, calls } = await flush([processView(files), processView({ name: 'api', ...files })], 'web', '3');
    expect(calls).toEqual([['logs', { targets: ['web', '3'] }]]);
    expect(stdout).toBe(`emptied ${at('shared.log')} (2.0kb)\nemptied ${at('err.log')} (10b)\n`);
    expect(statSync(at('shared.log')).size + statSync(at('err.log')).size).toBe(0);
  });

  it('prints files and bytes with --json', async () => {
    writeFileSync(at('out.log'), 'four');
    const { stdout } = await flush([processView({ outFile: at('out.log'), errorFile: at('absent.log') })], '--json');
    expect(JSON.parse(stdout)).toEqual([{ file: at('out.log'), bytes: 4 }]);
    expect(existsSync(at('absent.log'))).toBe(false);
  });

  it('leaves forwarded output, devices and FIFOs alone', async () => {
    await makeFifo(at('fifo'));
    const views = [
      processView({ outFile: null, errorFile: null }),
      processView({ outFile: '/dev/zero', errorFile: at('fifo') }),
      processView({ outFile: '/dev/null', errorFile: '/dev/null' }),
    ];
    expect(await flush(views)).toMatchObject({ stdout: 'nothing to empty\n', stderr: '' });
  });

  it('empties the others when one cannot be emptied, and fails', async () => {
    symlinkSync(at('loop'), at('loop'));
    writeFileSync(at('err.log'), 'oh no\n');
    const attempt = flush([processView({ outFile: at('loop'), errorFile: at('err.log') })]);
    await expect(attempt).rejects.toMatchObject({
      code: 'CANNOT_OPEN_LOG',
      message: expect.stringMatching(/loop": ELOOP/),
    });
    expect(readFileSync(at('err.log'), 'utf8')).toBe('');
  });
});

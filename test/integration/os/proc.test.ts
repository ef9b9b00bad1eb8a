// Reads of what another user's process says of itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { beginningOf, commandOfProcess, environmentOfProcess, hasProc } from '../../../src/os/proc.ts';

/** What a process reads, that has so much to say. */
async function withProcess<T>(args: string[], env: NodeJS.ProcessEnv, look: (pid: number) => T): Promise<T> {
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1e6)', ...args], { env });
  try {
    await once(child.stdout, 'data');
    return look(child.pid!);
  } finally {
    child.kill('SIGKILL');
  }
}

describe.skipIf(!hasProc)('what /proc shows of a process', () => {
  it('is read to its end, however long', async () => {
    const env = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`A${index}`, 'x'.repeat(100_000)]));
    const text = await withProcess([], { ...env, LAST: 'last' }, environmentOfProcess);
    expect(text).toMatch(/\0LAST=last\0/);
    expect(text?.length).toBeGreaterThan(1_000_000);
  });

  it('is cut off at the limit if it has no end', () => {
    expect(beginningOf('/dev/zero', 1_000_000)?.length).toBe(1_000_000);
  });

  it('is cut to 4 KB as a command', async () => {
    const command = await withProcess(['x'.repeat(100_000)], {}, commandOfProcess);
    expect(command).toMatch(/ -e console\.log.* x+$/);
    expect(command.length).toBe(4 * 1024);
  });

  it('is missing for an unused pid', () => {
    expect([environmentOfProcess(2 ** 30), commandOfProcess(2 ** 30)]).toEqual([undefined, '']);
  });
});

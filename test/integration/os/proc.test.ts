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

describe.skipIf(!hasProc)('what a process says of itself', () => {
  it('is read to its end, be it long', async () => {
    const env = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`A${index}`, 'x'.repeat(100_000)]));
    const text = await withProcess([], { ...env, LAST: 'last' }, environmentOfProcess);
    expect(text).toMatch(/\0LAST=last\0/);
    expect(text?.length).toBeGreaterThan(1_000_000);
  });

  it('has an end, even if the process says that it has none', () => {
    expect(beginningOf('/dev/zero', 1_000_000)?.length).toBe(1_000_000);
  });

  it('is not shown as a command of any length', async () => {
    const command = await withProcess(['x'.repeat(100_000)], {}, commandOfProcess);
    expect(command).toMatch(/ -e console\.log.* x+$/);
    expect(command.length).toBe(4 * 1024);
  });

  it('is missing for a pid that nobody has', () => {
    expect([environmentOfProcess(2 ** 30), commandOfProcess(2 ** 30)]).toEqual([undefined, '']);
  });
});

// The standard input of real programs.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inputOf } from '../../../src/daemon/launch/input.ts';
import { endChild } from '../../helpers/proc.ts';

function started(command: string, stdin: 'pipe' | 'ignore' = 'pipe'): ChildProcess {
  const child = spawn('/bin/sh', ['-c', command], { stdio: [stdin, 'pipe', 'ignore'] });
  onTestFinished(() => endChild(child));
  return child;
}

describe('the input of a program', () => {
  it('takes what is written, and stays open', async () => {
    const child = started('exec cat');
    await inputOf(child)!.write('one\n');
    await inputOf(child)!.write('two\n');
    let text = '';
    for await (const chunk of child.stdout!) {
      text += chunk;
      if (text === 'one\ntwo\n') break;
    }
    expect(child.exitCode).toBeNull();
  });

  it('is undefined without a pipe', () => {
    expect(inputOf(started('exec sleep 600', 'ignore'))).toBeUndefined();
  });

  it('refuses more than 256 KB for a program that does not read', async () => {
    const input = inputOf(started('exec sleep 600'))!;
    // More than the kernel takes: it waits here.
    const waiting = input.write('x'.repeat(1_000_000));
    waiting.catch(() => {});
    await expect(input.write('more')).rejects.toThrow('does not read');
  });

  it('rejects a write when the program has closed it', async () => {
    const child = started('exec <&-; echo closed; exec sleep 600');
    await once(child.stdout!, 'data');
    await expect(inputOf(child)!.write('hello')).rejects.toThrow('EPIPE');
  });

  it('rejects a write when the program has ended', async () => {
    const child = started('exit 0');
    const input = inputOf(child)!;
    await once(child, 'exit');
    await expect(input.write('hello')).rejects.toThrow(/./);
  });
});

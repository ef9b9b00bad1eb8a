import { describe, expect, it } from 'vitest';
import { runFields } from '../../../../src/config/options/run-fields.ts';

describe('--rewrite', () => {
  const { parse } = runFields.rewrite;

  it.each([
    ['TERM:QUIT', { from: 'SIGTERM', to: 'SIGQUIT' }],
    ['sigusr1:10', { from: 'SIGUSR1', to: 'SIGUSR1' }],
    ['USR2:0', { from: 'SIGUSR2', to: null }],
    ['TERM:KILL', { from: 'SIGTERM', to: 'SIGKILL' }],
  ])('reads %s', (input, rewriting) => {
    expect(parse([input])).toEqual([rewriting]);
  });

  it.each(['TERM', 'TERM:', ':TERM', 'TERM:INT:HUP'])('rejects %s, which is not a pair of signals', (input) => {
    expect(() => parse([input])).toThrow(`must be two signals such as TERM:QUIT, not "${input}"`);
  });

  it.each([
    ['KILL:TERM', 'SIGKILL'],
    ['9:TERM', 'SIGKILL'],
    ['STOP:0', 'SIGSTOP'],
    ['CHLD:USR1', 'SIGCHLD'],
    ['SEGV:TERM', 'SIGSEGV'],
  ])('rejects %s, because nsv cannot catch that signal', (input, name) => {
    expect(() => parse([input])).toThrow(`must start with a signal that nsv can catch, not ${name} ("${input}")`);
  });
});

import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { Rewriting } from '../../../src/config/options/run-fields.ts';
import { type Meaning, meaningOf, signalsToHandle, type TerminalUse } from '../../../src/run/signals.ts';

describe('a signal to nsv run', () => {
  it.each<[NodeJS.Signals, TerminalUse, Meaning['kind']]>([
    ['SIGTERM', 'none', 'stop'],
    ['SIGINT', 'none', 'stop'],
    ['SIGINT', 'ours', 'stop'],
    ['SIGINT', 'shared', 'heard'],
    ['SIGQUIT', 'shared', 'heard'],
    ['SIGTERM', 'shared', 'stop'],
    ['SIGHUP', 'none', 'reload'],
    ['SIGHUP', 'ours', 'stop'],
    ['SIGHUP', 'shared', 'stop'],
    ['SIGQUIT', 'none', 'forward'],
    ['SIGUSR1', 'none', 'forward'],
    ['SIGTSTP', 'none', 'forward'],
    ['SIGWINCH', 'none', 'forward'],
    ['SIGWINCH', 'shared', 'ignore'],
  ])('%s with terminal %s is to %s', (signal, terminal, kind) => {
    expect(meaningOf(signal, [], terminal).kind).toBe(kind);
  });

  it.each<[Rewriting, NodeJS.Signals, Meaning]>([
    [{ from: 'SIGTERM', to: 'SIGQUIT' }, 'SIGTERM', { kind: 'stop', ask: 'SIGQUIT' }],
    [{ from: 'SIGQUIT', to: 'SIGTERM' }, 'SIGQUIT', { kind: 'stop', ask: 'SIGTERM' }],
    [{ from: 'SIGUSR1', to: 'SIGHUP' }, 'SIGUSR1', { kind: 'forward', signal: 'SIGHUP' }],
    [{ from: 'SIGHUP', to: 'SIGHUP' }, 'SIGHUP', { kind: 'forward', signal: 'SIGHUP' }],
    [{ from: 'SIGUSR2', to: null }, 'SIGUSR2', { kind: 'ignore' }],
    [{ from: 'SIGIOT', to: 'SIGUSR1' }, 'SIGABRT', { kind: 'forward', signal: 'SIGUSR1' }],
    [{ from: 'SIGUSR2', to: null }, 'SIGUSR1', { kind: 'forward', signal: 'SIGUSR1' }],
  ])('is rewritten by %j: %s becomes %j', (rewriting, signal, meaning) => {
    expect(meaningOf(signal, [rewriting], 'none')).toEqual(meaning);
  });
});

describe('the signals that nsv run handles', () => {
  it('are all except those about nsv itself, each number once', () => {
    const numbers = signalsToHandle('none').map((name) => constants.signals[name]);
    expect(new Set(numbers).size).toBe(numbers.length);
    const { SIGKILL, SIGSTOP, SIGPIPE, SIGCHLD, SIGILL, SIGFPE, SIGSEGV, SIGBUS } = constants.signals;
    const left = [SIGKILL, SIGSTOP, SIGPIPE, SIGCHLD, SIGILL, SIGFPE, SIGSEGV, SIGBUS];
    const all = new Set(Object.values(constants.signals));
    expect(new Set([...numbers, ...left])).toEqual(all);
    expect(numbers.filter((number) => left.includes(number as never))).toEqual([]);
  });

  it('leave job control to a terminal that is shared with the app', () => {
    const left = signalsToHandle('none').filter((name) => !signalsToHandle('shared').includes(name));
    expect(left.sort()).toEqual(['SIGTSTP', 'SIGTTIN', 'SIGTTOU']);
  });
});

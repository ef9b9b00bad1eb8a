// The cause of an end that nobody has asked for, and what counts as the same cause again.
import { describe, expect, it } from 'vitest';
import {
  causeKeyOf,
  describeDeath,
  isExpected,
  sameRow,
  summedUp,
} from '../../../../src/daemon/process/death/death.ts';
import { causeOf } from '../../../../src/daemon/process/death/ending.ts';
import type { Exit } from '../../../../src/ipc/views.ts';
import { death } from '../../../helpers/deaths.ts';

const fatal = { headline: 'Error: x', frames: [], isFatal: true };
const reported = { ...fatal, isFatal: false };
const heap = 'FATAL ERROR: heap out of memory';
const failure = {
  address: { transport: 'tcp', ip: '::', port: 80, ipv6Only: false },
  code: 'EADDRINUSE',
  holder: 'web',
} as const;
const code = (code: number): Exit => ({ code, signal: null });
const signal = (signal: NodeJS.Signals): Exit => ({ code: null, signal });
const unknown: Exit = { code: null, signal: null };

describe('an exit', () => {
  it.each([
    ['exit', code(3), {}],
    ['exit', code(1), { error: reported }],
    ['exit', code(0), { error: fatal }],
    ['uncaught error', code(1), { error: fatal }],
    ['uncaught error', code(7), { error: fatal }],
    ['V8 out of memory', signal('SIGABRT'), { heap }],
    ['V8 out of memory', code(134), { heap }],
    ['signal', signal('SIGABRT'), {}],
    ['exit', code(1), { heap }],
    ['signal', signal('SIGSEGV'), {}],
    ['signal', signal('SIGKILL'), {}],
    ['unknown', unknown, {}],
    ['uncaught error', unknown, { error: fatal }],
    ['V8 out of memory', unknown, { heap }],
    ['listen failed', code(1), { error: fatal, failure }],
    ['listen failed', code(0), { failure }],
    ['signal', signal('SIGTERM'), { failure }],
  ] as const)('has the cause "%s" after %o and %o', (cause, exit, said) => {
    expect(causeOf(exit, { heap: undefined, error: undefined, ...said }, () => undefined)).toEqual({
      cause,
      certain: true,
    });
  });

  it('is a kernel OOM kill if the kernel has counted one, which is checked only after SIGKILL', () => {
    const said = { heap: undefined, error: undefined };
    expect(causeOf(signal('SIGKILL'), said, () => 'certain')).toEqual({ cause: 'kernel OOM kill', certain: true });
    expect(causeOf(signal('SIGKILL'), said, () => 'probable')).toEqual({ cause: 'kernel OOM kill', certain: false });
    const never = () => expect.fail('it was asked');
    expect(causeOf(signal('SIGTERM'), said, never).cause).toBe('signal');
  });

  it('is expected if it was planned or ends a job that has done its work', () => {
    for (const cause of ['asked', 'age', 'requests'] as const) expect(isExpected(death({ cause }))).toBe(true);
    expect(isExpected(death({ cause: 'exit', exit: code(0), next: 'stopped' }))).toBe(true);
    expect(isExpected(death({ cause: 'exit', exit: code(0), next: 'restarted' }))).toBe(false);
    expect(isExpected(death({ cause: 'exit', exit: code(2), next: 'stopped' }))).toBe(false);
    expect(isExpected(death({ cause: 'kill timeout', by: 'stop' }))).toBe(false);
  });
});

describe('a death in one line', () => {
  const failed = { cause: 'listen failed', detail: 'port 80 is in use by app "web"' } as const;
  const exits = (exit: Exit, ...output: string[]) => ({ cause: 'exit', error: null, exit, output }) as const;
  it.each([
    ['is its error', {}, 'Error: boom'],
    ['names the holder of the port', failed, 'port 80 is in use by app "web"'],
    ['is the exit, if it has printed nothing', exits(code(3)), 'exit code 3'],
    [
      'has the last line of a process that exits',
      exits(code(3), 'up', ' no database ', '}'),
      'exit code 3: no database',
    ],
    ['omits the version of Bun', exits(code(3), 'error: no x', 'Bun v1.4.5 (Linux x64)'), 'exit code 3: error: no x'],
    ['omits the last line after an exit with 0', exits(code(0), 'done'), 'exit code 0'],
    ['omits the last line of a process that was killed', exits(signal('SIGKILL'), 'up'), 'signal SIGKILL'],
  ])('%s', (_, facts, text) => {
    expect(describeDeath(death(facts))).toBe(text);
  });
});

describe('two deaths', () => {
  const error = (headline: string) => ({ error: { headline, frames: [] } });
  it('have the same cause if only numbers in their texts differ', () => {
    const key = (headline: string) => causeKeyOf(death(error(headline)));
    expect(key('Error: no order 7')).toBe(key('Error: no order 1234'));
    expect(key('Error: no order 7')).not.toBe(key('Error: no user 7'));
    expect(causeKeyOf(death({ error: null }))).not.toBe(causeKeyOf(death({ error: null, exit: code(3) })));
    expect(causeKeyOf(death({ by: 'stop' }))).not.toBe(causeKeyOf(death({ by: 'reload' })));
  });

  it('are counted together while they follow each other closely', () => {
    const at = 1_700_000_000_000;
    const first = summedUp(death({ at }), null);
    expect(first).toMatchObject({ cause: 'uncaught error', about: 'Error: boom', times: 1, at, lastAt: at });
    const second = summedUp(death({ at: at + sameRow }), first);
    expect(second).toMatchObject({ times: 2, at, lastAt: at + sameRow });
    expect(summedUp(death({ at: at + 3 * sameRow }), second)).toMatchObject({ times: 1, at: at + 3 * sameRow });
    expect(summedUp(death({ at, ...error('Error: other') }), first)).toMatchObject({ times: 1, about: 'Error: other' });
  });
});

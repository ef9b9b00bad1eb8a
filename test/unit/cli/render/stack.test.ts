import { describe, expect, it } from 'vitest';
import { renderStack } from '../../../../src/cli/render/stack.ts';
import type { StackView } from '../../../../src/client/stacks/stack.ts';

const plain = (_tone: string, text: string) => text;
const about: StackView = {
  id: 0,
  name: 'web',
  slot: 1,
  pid: 4711,
  state: 'idle',
  busy: 0,
  waitsFor: {},
  frames: [],
  kernel: null,
  problem: null,
};
const rendered = (view: Partial<StackView>) => renderStack({ ...about, ...view }, plain).split('\n');
const kernel = {
  state: 'S',
  waitsIn: 'do_epoll_wait',
  cpuTime: 1_250,
  children: [{ pid: 9, command: 'sleep \x1b[2J' }],
};

describe('nsv stack', () => {
  it('shows what an idle process waits for', () => {
    expect(rendered({ waitsFor: { TCPSocketWrap: 2, Timeout: 1, Strange: 1 } })).toEqual([
      'web 1 (pid 4711) is idle, and waits for 2 TCP sockets, 1 timer, 1 Strange',
    ]);
    expect(rendered({})).toEqual(['web 1 (pid 4711) is idle']);
  });

  it('shows the stack of a busy process, with a recursion on one line', () => {
    const fib = { function: 'fib', file: '/app.js', line: 3 };
    const frames = [fib, fib, { function: '', file: '/app.js', line: null }, { function: 'now', file: '', line: null }];
    expect(rendered({ state: 'busy', busy: 97, frames })).toEqual([
      'web 1 (pid 4711) is busy: JavaScript runs 97 % of the time, mostly here',
      '    at fib (/app.js:3), 2 times',
      '    at /app.js',
      '    at now (native)',
    ]);
  });

  it('shows the kernel state and the children of a blocked process', () => {
    expect(rendered({ state: 'blocked', busy: null, kernel })).toEqual([
      'web 1 (pid 4711) is blocked: its event loop does not turn',
      '    main thread: sleeping in do_epoll_wait; 1.3 s of CPU time used',
      '    child process 9: sleep \\x1b[2J',
    ]);
  });

  it('shows the stack of a blocked process, or why there is none', () => {
    const frames = [{ function: 'culprit', file: '/app.js', line: 6 }];
    expect(rendered({ state: 'blocked', kernel, frames })).toEqual([
      'web 1 (pid 4711) is blocked: its event loop does not turn. It is here',
      '    at culprit (/app.js:6)',
    ]);
    expect(rendered({ state: 'blocked', kernel: null, problem: 'it is stopped' }).at(-1)).toBe(
      '    no stack: it is stopped',
    );
  });

  it('shows why a process cannot be inspected', () => {
    expect(rendered({ state: 'unknown', problem: 'it is not running' })).toEqual(['web 1: it is not running']);
  });
});

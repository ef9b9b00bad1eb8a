// One state of each kind.
import type { State } from '../../src/daemon/process/lifecycle/state.ts';

export const samples = {
  stopped: { kind: 'stopped' },
  spawning: { kind: 'spawning', failures: 0 },
  starting: { kind: 'starting', failures: 0, pid: 1, since: 0, loadedAt: null, deadline: 1, late: false },
  online: { kind: 'online', failures: 0, pid: 1, since: 0, loadedAt: 0 },
  stopping: {
    kind: 'stopping',
    pid: 1,
    since: 0,
    deadline: 1,
    answerBy: 1,
    killAt: 5_000,
    gone: false,
    overdue: false,
    why: null,
    after: { kind: 'rest' },
  },
  backoff: { kind: 'backoff', failures: 1, deadline: 1 },
  waiting: { kind: 'waiting', failures: 1, reason: null, isReported: false, isBinding: false, deadline: null },
  errored: { kind: 'errored', reason: 'x', deadline: null },
} satisfies { [K in State['kind']]: Extract<State, { kind: K }> };

import { describe, expect, it } from 'vitest';
import { failedStart } from '../../../../src/daemon/apps/failed-start.ts';
import type { LastDeath } from '../../../../src/daemon/process/death/death.ts';
import { endedAtOnce } from '../../../../src/daemon/process/lifecycle/restart-policy.ts';
import { endedBy } from '../../../../src/daemon/slot/start-outcome.ts';

const call = (file: string, line: number) => ({ function: 'f', file, line, column: 1 });
const crash: LastDeath = {
  cause: 'uncaught error',
  about: 'Error: boom',
  headline: 'Error: boom',
  frames: [],
  exit: { code: 1, signal: null },
  output: [],
  times: 1,
  at: 0,
  lastAt: 0,
  key: '',
};
const port: LastDeath = { ...crash, cause: 'listen failed', about: 'port 80 is in use by app "web"' };
const exited: LastDeath = {
  ...crash,
  cause: 'exit',
  headline: null,
  about: 'exit code 3',
  exit: { code: 3, signal: null },
};
const gaveUp = endedBy('exit code 1; gave up after 10 restarts within 1m', 'nothing');
const eleven = { times: 11, lastAt: 1_000 };
const all = '  see all';
const logs = 'run "nsv logs <name>" to see all that it has printed';
const errors = 'run "nsv logs <name> --err" to see all that it has printed';

const rows: {
  what: string;
  death: LastDeath;
  outcome?: typeof gaveUp;
  said: Partial<ReturnType<typeof failedStart>>;
}[] = [
  {
    what: 'an error, with at most three calls of the app, and a count',
    death: {
      ...crash,
      ...eleven,
      frames: [
        call('node:internal/modules/cjs/loader', 1),
        call('/app/node_modules/express/index.js', 2),
        ...[3, 4, 5, 6].map((line) => call('/app/web.js', line)),
      ],
    },
    said: {
      reason: 'Error: boom',
      output: [],
      details: [...[3, 4, 5].map((line) => `at f (/app/web.js:${line}:1)`), 'it crashed 11 times in 1s'],
      hint: errors,
    },
  },
  {
    what: 'a port in use, with the error below it',
    death: { ...port, ...eleven, headline: 'Error: listen EADDRINUSE: address already in use :::80' },
    said: {
      reason: 'port 80 is in use by app "web"',
      details: ['Error: listen EADDRINUSE: address already in use :::80', 'it crashed 11 times in 1s'],
      hint: errors,
    },
  },
  {
    what: 'a port in use that the app does not report',
    death: { ...port, headline: null, exit: { code: 0, signal: null }, output: ['listens on 80'] },
    said: {
      reason: 'port 80 is in use by app "web"',
      output: ['listens on 80'],
      details: ['the app did not report this error, and exited with code 0'],
      hint: logs,
    },
  },
  {
    what: 'a full heap, with what to do about it',
    death: { ...crash, cause: 'V8 out of memory', about: 'FATAL ERROR: heap', headline: 'FATAL ERROR: heap' },
    said: {
      reason: 'V8 out of memory: FATAL ERROR: heap',
      details: [],
      hint: expect.stringMatching(/max-old-space-size/),
    },
  },
  {
    what: 'an exit whose only line is in the first one',
    death: { ...exited, about: 'exit code 3: no database', output: ['no database'], ...eleven },
    said: { reason: 'exit code 3: no database', output: [], details: ['it exited 11 times in 1s'], hint: logs },
  },
  {
    what: 'an exit with more lines',
    death: { ...exited, about: 'exit code 3: no database', output: ['starts', 'no database'] },
    said: { reason: 'exit code 3: no database', output: ['starts', 'no database'], details: [] },
  },
  {
    what: 'a signal',
    death: { ...exited, cause: 'signal', about: 'signal SIGKILL', times: 2, lastAt: 500 },
    said: {
      reason: 'signal SIGKILL',
      details: ['it was killed 2 times in 500ms'],
      hint: expect.stringMatching(/nsv show/),
    },
  },
  {
    what: 'an end with 0',
    death: { ...exited, about: 'exit code 0', exit: { code: 0, signal: null }, output: ['sent'] },
    outcome: endedBy(endedAtOnce, 'finished'),
    said: { reason: endedAtOnce, output: ['sent'], details: [] },
  },
  {
    what: 'that nsv keeps restarting it',
    death: { ...crash, times: 2, lastAt: 500 },
    outcome: endedBy('exit code 1', 'restarted'),
    said: { reason: 'Error: boom', details: ['it crashed 2 times in 500ms, and nsv goes on restarting it'] },
  },
];

describe('a failed start', () => {
  it.each(rows)('reports $what', ({ death, outcome = gaveUp, said }) => {
    expect(failedStart({ outcome, death, printed: [all] })).toMatchObject(said);
  });

  it('reports what a running process waits for and has printed, regardless of earlier deaths', () => {
    const outcome = { good: false, reason: 'not ready within 3s', ended: false, sequel: 'nothing' } as const;
    expect(failedStart({ outcome, death: crash, printed: [all] })).toMatchObject({
      reason: 'not ready within 3s',
      output: [all],
      details: [],
    });
  });

  it('reports the outcome if no death is known', () => {
    expect(failedStart({ outcome: gaveUp, death: null, printed: [all] })).toMatchObject({
      reason: gaveUp.reason,
      output: [all],
    });
  });
});

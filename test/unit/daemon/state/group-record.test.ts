import { describe, expect, it } from 'vitest';
import type { LeftState } from '../../../../src/daemon/process/lifecycle/state.ts';
import type { GroupRecord, Intent, ProcessRecord } from '../../../../src/daemon/process/record.ts';
import { decodeState, encodeRecord, encodeState, encodeStateOf } from '../../../../src/daemon/state/codec.ts';
import { groupRecord, processRecord, snapshot } from '../../../helpers/records.ts';

const { spec } = groupRecord([]);
const other = groupRecord([processRecord(2)], { spec: { ...spec, name: 'other' } });
const giveup = { kind: 'giveup', reason: 'too many restarts' } as const;

const states: LeftState[] = [
  { kind: 'stopped' },
  { kind: 'starting', failures: 1, pid: 7, since: 1.5, loadedAt: null, deadline: null, late: true },
  { kind: 'online', failures: 0, pid: 7, since: 1, loadedAt: 2 },
  {
    kind: 'online',
    failures: 0,
    pid: 7,
    since: 1,
    loadedAt: 2,
    excess: { reason: { cause: 'age', detail: '3h old' }, failed: 1, next: 5.5 },
  },
  { kind: 'waiting', failures: 1, reason: 'it failed', isReported: false, isBinding: false, deadline: null },
  {
    kind: 'stopping',
    pid: 7,
    since: 1,
    deadline: 2,
    answerBy: 3,
    killAt: 4,
    gone: false,
    overdue: true,
    why: {
      cause: 'blocked loop',
      by: 'watchdog',
      detail: 'blocked for 2 s',
      stack: [{ function: 'spin', file: '/app/web.js', line: 3, column: null }],
    },
    after: giveup,
  },
  { kind: 'backoff', failures: 3, deadline: 2 },
  { kind: 'errored', reason: 'it failed', deadline: 5 },
];
const intents: Intent[] = [
  { kind: 'remove', successor: { spec: other.spec, active: true, runtimeSettings: { version: 1, values: {} } } },
  { kind: 'scale', instances: 2 },
  { kind: 'start', slots: [0, 1] },
  { kind: 'stop', slots: [0] },
];
const exits = [
  { code: 1, signal: null },
  { code: null, signal: 'SIGKILL' },
] as const;

const lastDeath = {
  cause: 'uncaught error',
  about: 'Error: x',
  times: 3,
  at: 1,
  lastAt: 2,
  frames: [{ function: 'run', file: '/app/web.js', line: 3, column: 9 }],
  key: 'k',
  headline: 'Error: x',
  exit: { code: 1, signal: null },
} as const;

const about = { name: 'jobs', help: '', unit: '' };

/** Together they have every field that a record can have. */
const records: GroupRecord[] = [
  ...states.map((state) => groupRecord([processRecord(1, { state, lastExit: exits[0] })])),
  groupRecord([], { counted: [{ ...about, type: 'counter', series: [{ labels: { kind: 'mail' }, value: 6.5 }] }] }),
  groupRecord([], {
    counted: [
      { ...about, type: 'histogram', bounds: [1.5, 2.5], series: [{ labels: {}, value: 0.5, counts: [2, 1, 0] }] },
    ],
  }),
  groupRecord([], { runtimeSettings: { version: 3, values: { limit: [1] }, file: '/srv/settings.json' } }),
  groupRecord([], withLife({ logFile: '/all', cgroup: '/c' })),
  ...intents.map((intent) =>
    groupRecord(
      [
        processRecord(1, {
          lastExit: exits[1],
          lastDeath: { ...lastDeath, frames: [...lastDeath.frames], output: ['x'] },
        }),
      ],
      { intent, recent: [1, 2.5] },
    ),
  ),
];

/** What an unchecked message of a worker, a bug or another version could leave in any field. */
const odd: unknown[] = ['text', '', -1, 0.25, 1e300, null, [], {}, [[]], { kind: 'odd' }, true];

type Path = string[];

/** Of every value in it, those of the settings of apps and of runtime settings excepted: they have tests of their own. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || ['spec', 'values'].includes(path.at(-1) ?? '')) return [path];
  return [path, ...Object.entries(value).flatMap(([key, part]) => pathsIn(part, [...path, key]))];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce((part, key) => (part as Record<string, unknown> | undefined)?.[key], value);
}

function replaced<T>(value: T, path: Path, by: unknown): T {
  const last = path.at(-1);
  if (last === undefined) return by as T;
  const copy = structuredClone(value);
  (at(copy, path.slice(0, -1)) as Record<string, unknown>)[last] = by;
  return copy;
}

/** Whatever the record is. */
function decoded(record: unknown) {
  const { groups: _, ...rest } = snapshot();
  const { json, env } = encodeRecord(other);
  return decodeState(
    encodeStateOf(rest, [
      { json, env },
      { json: Buffer.from(JSON.stringify(record)), env },
    ]),
  );
}

const cases = records.map((record) => [record.intent ?? record.processes[0]?.state, record] as const);

const oddProcesses: [what: string, rest: Partial<ProcessRecord>, problem: RegExp][] = [
  ['text for a number', { cutShort: '0many' as never }, /"cutShort" must be a whole number, at least 0, not "0many"/],
  ['a value that is not a number', { restarts: Number.NaN }, /"restarts" must be a whole number, at least 0, not null/],
  ['an unknown role', { role: 'king' as never }, /"role" must be one of holder, trial, leaver, not "king"/],
  ['an unknown state', { state: { kind: 'odd' } as never }, /"state.kind" must be one of/],
  ['a process in the middle of its start', { state: { kind: 'spawning', failures: 0 } as never }, /state.kind/],
  ['an unknown signal', { lastExit: { code: null, signal: 'SIGODD' as never } }, /"signal" must be one of/],
];
const oddRecords: [what: string, rest: Partial<GroupRecord>, problem: RegExp][] = [
  ['a setting that nsv does not know', { spec: { ...spec, colour: 'red' } as never }, /colour/],
  ['a setting out of its range', { spec: { ...spec, instances: 1e9 } }, /--instances/],
  ['an invalid name', { spec: { ...spec, name: '../../x' } }, /must be a name/],
  ['the name of another app', { spec: other.spec }, /another app of this name/],
  ['a pid that means a process group', withLife({ pid: 0 }), /"pid" must be a whole number from 1 to 4194304, not 0/],
  ['a pid that means all processes', withLife({ pid: -1 }), /"pid" must be a whole number from 1 to 4194304, not -1/],
  ['an unknown intent', { intent: { kind: 'dance' } as never }, /"intent.kind" must be one of/],
  ['a successor without settings', { intent: { kind: 'remove', successor: {} as never } }, /script/],
  ...oddProcesses.map(([what, rest, problem]): (typeof oddRecords)[number] => [what, withProcess(rest), problem]),
];

describe('the record of an app', () => {
  it.each(cases)('is read as it was written: %j', (_what, record) => {
    const whole = snapshot({ groups: [other, record] });
    expect(decodeState(encodeState(whole))).toEqual({ invalid: [], snapshot: whole });
  });

  it.each(cases)('does not affect other records, whatever one of its fields contains: %j', (_what, record) => {
    for (const path of pathsIn(record)) {
      for (const value of odd) {
        const what = `${path.join('.')}: ${JSON.stringify(value)}`;
        const { snapshot: read, invalid } = decoded(replaced(record, path, value));
        const [first, kept] = read.groups;
        expect(first, what).toEqual(other);
        expect(invalid, what).toHaveLength(kept ? 0 : 1);
        if (kept) expectSameType(at(record, path), at(kept, path), what);
      }
    }
  });

  it.each(oddRecords)('is rejected with the reason if it has %s', (_what, rest, problem) => {
    const { snapshot: read, invalid } = decoded(groupRecord([processRecord(1)], rest));
    expect(read.groups).toEqual([other]);
    expect(invalid).toHaveLength(1);
    expect(invalid[0]?.problem).toMatch(problem);
  });

  it('loses unknown fields', () => {
    const { snapshot: read } = decoded({ ...groupRecord([{ ...processRecord(1), extra: 1 } as never]), more: 2 });
    expect(read.groups[1]).toEqual(groupRecord([processRecord(1)]));
  });
});

/** A value that was read is of the type that its field has; only some fields may be null. */
function expectSameType(before: unknown, after: unknown, what: string): void {
  if (before === null || after === null || before === undefined || after === undefined) return;
  expect(typeof after, what).toBe(typeof before);
  expect(Array.isArray(after), what).toBe(Array.isArray(before));
  if (Number.isInteger(before)) expect(Math.abs(after as number), what).toBeLessThanOrEqual(8.64e15);
}

function withLife(rest: object): Partial<GroupRecord> {
  return withProcess({ identity: { ...(processRecord(1).identity as object), ...rest } as ProcessRecord['identity'] });
}

function withProcess(rest: Partial<ProcessRecord>): Partial<GroupRecord> {
  return { processes: [{ ...processRecord(1), ...rest }] };
}

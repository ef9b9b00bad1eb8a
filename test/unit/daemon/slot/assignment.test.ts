import { describe, expect, it } from 'vitest';
import type { ProcessRecord } from '../../../../src/daemon/process/record.ts';
import { assignSlot, type SlotCandidate } from '../../../../src/daemon/slot/assignment.ts';
import { processRecord } from '../../../helpers/records.ts';
import { samples } from '../../../helpers/states.ts';

interface Case {
  written: ProcessRecord[];
  found?: ProcessRecord[];
  /** Pids. */
  alive: number[];
  holder: number | null;
  leaving?: number[];
}

const trial = (sequence: number) => processRecord(sequence, { role: 'trial' });
const leaver = (sequence: number) => processRecord(sequence, { role: 'leaver' });
const stopping = processRecord(1, { state: samples.stopping });

const cases: Record<string, Case> = {
  'stays with the process that holds it': { written: [processRecord(1)], alive: [1], holder: 1 },
  'stays with a dead process, to be judged': { written: [processRecord(1)], alive: [], holder: 1 },
  'stays empty if its process was stopped': { written: [processRecord(0)], alive: [], holder: null },
  'goes to a process that was started at the last moment': {
    written: [processRecord(1)],
    found: [processRecord(2)],
    alive: [2],
    holder: 2,
  },
  'goes to the successor of a process that announced its exit': {
    written: [processRecord(1)],
    found: [processRecord(2)],
    alive: [1, 2],
    holder: 2,
    leaving: [1],
  },
  'is not given to the new process of a reload while the old one serves': {
    written: [processRecord(1), trial(2)],
    alive: [1, 2],
    holder: 1,
    leaving: [2],
  },
  'is not given to an unrecorded new process of a reload either': {
    written: [processRecord(1)],
    found: [trial(2)],
    alive: [1, 2],
    holder: 1,
    leaving: [2],
  },
  'goes to the new process of a reload when the old one is dead': {
    written: [processRecord(1), trial(2)],
    alive: [2],
    holder: 2,
  },
  'is not given to a new process when the old one was being stopped': {
    written: [stopping, trial(2)],
    alive: [2],
    holder: 1,
    leaving: [2],
  },
  'keeps its new process when a reload was nearly done': {
    written: [processRecord(2), leaver(1)],
    alive: [1, 2],
    holder: 2,
    leaving: [1],
  },
  'goes to the process that a command has just started': {
    written: [processRecord(0)],
    found: [processRecord(2)],
    alive: [2],
    holder: 2,
  },
};

const candidatesOf = (written: ProcessRecord[], found: ProcessRecord[], alive: number[]): SlotCandidate[] => [
  ...written.map(({ state, ...rest }) => ({
    record: { ...rest, was: state },
    lives: rest.identity !== null && alive.includes(rest.identity.pid),
  })),
  ...found.map(({ state: _state, ...rest }) => ({
    record: { ...rest, was: { kind: 'found' as const, pid: rest.identity?.pid ?? 0, since: 0 } },
    lives: true,
  })),
];

describe('a slot after the death of a daemon', () => {
  it.each(Object.entries(cases))('%s', (_title, { written, found = [], alive, holder, leaving = [] }) => {
    const assigned = assignSlot(candidatesOf(written, found, alive), true);
    expect(assigned.holder?.record.identity?.pid ?? null).toBe(holder);
    expect(assigned.leavers.map(({ record }) => record.identity?.pid)).toEqual(leaving);
  });

  it('has only leavers if a scale has removed it', () => {
    const found = candidatesOf([], [processRecord(3, { slot: 4 })], [3]);
    expect(assignSlot(found, false)).toEqual({ holder: undefined, leavers: found });
  });

  it('keeps the higher count of restarts', () => {
    const candidates = candidatesOf([processRecord(1, { restarts: 4 })], [trial(2)], [2]);
    expect(assignSlot(candidates, true).holder?.record).toMatchObject({ restarts: 4, identity: { pid: 2 } });
  });
});

// What becomes of a process that the previous daemon has left.
import { describe, expect, it } from 'vitest';
import { next } from '../../../../src/daemon/process/lifecycle/lifecycle.ts';
import type { Left, State } from '../../../../src/daemon/process/lifecycle/state.ts';
import { samples } from '../../../helpers/states.ts';
import { contextOf } from '../../../helpers/supervised.ts';

const late: State = { ...samples.starting, deadline: null, late: true };
const { stopped, starting, online, stopping, backoff, waiting, errored } = samples;

interface Case {
  title: string;
  left: Omit<Left, 'isKnown'> & { isKnown?: boolean };
  state: State;
  effects: string[];
}

const cases: Case[] = [
  { title: 'keeps serving', left: { was: online, fate: 'running' }, state: online, effects: ['find', 'emitOnline'] },
  { title: 'continues to start', left: { was: starting, fate: 'running' }, state: starting, effects: ['find'] },
  { title: 'is still late', left: { was: late, fate: 'running' }, state: late, effects: ['find', 'emitLate'] },
  { title: 'continues to stop', left: { was: stopping, fate: 'running' }, state: stopping, effects: ['find'] },
  {
    title: 'has its exit reported and judged if it has ended',
    left: { was: online, fate: 'ended' },
    state: online,
    effects: ['find', 'emitOnline'],
  },
  {
    title: 'has ended on request if a command was about to end it',
    left: { was: online, fate: 'asked' },
    state: stopped,
    effects: ['noteAskedEnd'],
  },
  {
    title: 'is not restarted if a command was about to end it',
    left: { was: backoff, fate: 'asked' },
    state: stopped,
    effects: ['noteAskedEnd'],
  },
  { title: 'is stopped after a reboot', left: { was: online, fate: 'rebooted' }, state: stopped, effects: [] },
  {
    title: 'is no longer errored after a reboot',
    left: { was: errored, fate: 'rebooted' },
    state: stopped,
    effects: [],
  },
  {
    title: 'is stopped if it cannot be recognised',
    left: { was: online, fate: 'ended', isKnown: false },
    state: stopped,
    effects: [],
  },
  ...[stopped, backoff, waiting, errored].map((was) => ({
    title: `stays ${was.kind}`,
    left: { was, fate: 'ended' as const, isKnown: false },
    state: was,
    effects: [],
  })),
];

describe('a process of the previous daemon', () => {
  it.each(cases)('$title', ({ left, state, effects }) => {
    const result = next(stopped, { type: 'adopt', left: { isKnown: true, ...left } }, contextOf({ now: 5 }));
    expect(result.state).toEqual(state);
    expect(result.effects.map((effect) => effect.do)).toEqual(effects);
  });

  it.each([
    { readiness: 'any', reportsLoaded: false, loadedAt: 2, deadline: 1_002 },
    { readiness: 'any', reportsLoaded: true, loadedAt: null, deadline: 30_002 },
    { readiness: 'listening', reportsLoaded: false, loadedAt: 2, deadline: 30_002 },
  ] as const)('is starting by the usual rule if it was not recorded: $readiness', (given) => {
    const { readiness, reportsLoaded, loadedAt, deadline } = given;
    const left: Left = { was: { kind: 'found', pid: 7, since: 2 }, fate: 'running', isKnown: true };
    const result = next(stopped, { type: 'adopt', left }, contextOf({ now: 5, readiness, reportsLoaded }));
    expect(result).toEqual({
      state: { kind: 'starting', failures: 0, pid: 7, since: 2, loadedAt, deadline, late: false },
      effects: [{ do: 'find' }],
    });
  });

  it('has its replacement retried at once if one was under way', () => {
    const excess = { reason: { cause: 'age' as const }, failed: 1, next: null };
    const left: Left = { was: { ...online, excess }, fate: 'running', isKnown: true };
    const { state } = next(stopped, { type: 'adopt', left }, contextOf({ now: 5 }));
    expect(state).toMatchObject({ excess: { failed: 1, next: 5 } });
  });
});

import { describe, expect, it } from 'vitest';
import { next } from '../../../../src/daemon/process/lifecycle/lifecycle.ts';
import type { Left, State } from '../../../../src/daemon/process/lifecycle/state.ts';
import { samples } from '../../../helpers/states.ts';
import { contextOf } from '../../../helpers/supervised.ts';

const late: State = { ...samples.starting, deadline: null, late: true };
const { stopped, starting, online, stopping, backoff, waiting, errored } = samples;

type Case = [title: string, was: Left['was'], fate: Left['fate'], state: State, effects: string[]];

const cases: Case[] = [
  ['keeps serving', online, 'running', online, ['find', 'emitOnline']],
  ['continues to start', starting, 'running', starting, ['find']],
  ['is still late', late, 'running', late, ['find', 'emitLate']],
  ['continues to stop', stopping, 'running', stopping, ['find']],
  ['has its exit reported and judged if it has ended', online, 'ended', online, ['find', 'emitOnline']],
  ['has ended on request if a command was about to end it', online, 'asked', stopped, ['noteAskedEnd']],
  ['is not restarted if a command was about to end it', backoff, 'asked', stopped, ['noteAskedEnd']],
  ['is stopped after a reboot', online, 'rebooted', stopped, []],
  ['is no longer errored after a reboot', errored, 'rebooted', stopped, []],
];

describe('a process of the previous daemon', () => {
  it.each(cases)('%s', (_title, was, fate, state, effects) => {
    const result = next(stopped, { type: 'adopt', left: { was, fate, isKnown: true } }, contextOf({ now: 5 }));
    expect(result.state).toEqual(state);
    expect(result.effects.map((effect) => effect.do)).toEqual(effects);
  });

  it.each<[was: Left['was'], state: State]>([
    [online, stopped],
    [stopped, stopped],
    [backoff, backoff],
    [waiting, waiting],
    [errored, errored],
  ])('is stopped or stays at rest if it cannot be recognised: %j', (was, state) => {
    const left: Left = { was, fate: 'ended', isKnown: false };
    expect(next(stopped, { type: 'adopt', left }, contextOf({ now: 5 }))).toEqual({ state, effects: [] });
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

// Finds which of the recorded processes still run, and which processes run without a record.
import { basename } from 'node:path';
import type { AppSpec } from '../../config/app-spec.ts';
import { markVariable } from '../../os/own-variables.ts';
import {
  allStats,
  environmentOfProcess,
  executableOf,
  readStat,
  runsAs,
  units,
  uptime,
  variableOfProcess,
} from '../../os/proc.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ProcessIdentity } from '../launch/launcher.ts';
import { isPreparing } from '../launch/preparation.ts';
import { brokerName, type Mark, markIn, readMark } from '../process/mark.ts';
import type { LeftRecord } from '../process/record.ts';

/**
 * Whether it is the same process: checks pid, start time and the mark in its environment, since a small pid namespace
 * may reuse a pid within the same clock tick. Its user is not checked: it may have given up its rights since.
 */
export function isStillThere(identity: ProcessIdentity | null): boolean {
  if (!identity) return false;
  const { pid, startTime, mark } = identity;
  const stat = readStat(pid);
  if (!stat?.alive || stat.startTime !== startTime) return false;
  const found = markIn(environmentOfProcess(pid));
  return found === 'unreadable' || (found !== 'none' && found.mark === mark);
}

interface MarkedProcess {
  pid: number;
  startTime: number;
  /** The mark as it is in the environment. */
  text: string;
}

/** A process that carries a mark of this home. */
export interface UnrecordedProcess extends MarkedProcess {
  mark: Mark;
  /** Set if it was started while the state could not be written. */
  unrecorded?: Unrecorded;
}

export interface Unrecorded {
  /** The settings of its app. Absent if there was no room for them, or this nsv cannot read them. */
  spec?: AppSpec;
}

/** The marks that the daemons of a home have given to processes (spawn-log.ts). */
export type GivenMarks = ReadonlyMap<string, Unrecorded | undefined>;

/**
 * Finds every process that a daemon of this home has started, by its mark: `ours`, and its brokers. Processes that it starts may
 * inherit the mark, but are younger. A process is ours only if it runs as the user that the mark names, or is about to. `others`
 * carry a mark of another user: they have read it in that user's process, or have changed their user.
 */
export function findMarked({ home, uid }: { home: string; uid: number }, given: GivenMarks) {
  const oldest = new Map<string, UnrecordedProcess>();
  const others: UnrecordedProcess[] = [];
  for (const found of markedProcesses()) {
    const { pid, text } = found;
    const mark = given.has(text) ? readMark(text) : undefined;
    if (mark?.home !== home) continue;
    const unrecorded = given.get(text);
    const stray = { ...found, mark, ...(unrecorded && { unrecorded }) };
    const known = oldest.get(text);
    if (!runsAs(pid, mark.uid) && !isBecoming(pid, uid)) others.push(stray);
    else if (!known || isOlder(stray, known)) oldest.set(text, stray);
  }
  const ours = [...oldest.values()];
  const isBroker = ({ mark }: UnrecordedProcess) => mark.app === brokerName;
  return { ours: ours.filter((stray) => !isBroker(stray)), others, brokers: ours.filter(isBroker) };
}

/**
 * Whether it still runs as the daemon's user, as the program that changes it (launch/privileges.ts), or as the one before that
 * (launch/preparation.ts). Any other may be a setuid program that the user has started.
 */
function isBecoming(pid: number, uid: number): boolean {
  return runsAs(pid, uid) && (basename(executableOf(pid)) === 'setpriv' || isPreparing(pid));
}

/** Longer ones are not kept in memory: anybody can write one. An app's name has at most 128 characters. */
const longestMark = 512;

/** The processes that carry a mark, whoever has written it. Each process of ours was started as a session leader. */
export function markedProcesses(): MarkedProcess[] {
  return allStats().flatMap(({ pid, session, startTime, alive }) => {
    const text = alive && session === pid ? variableOfProcess(pid, markVariable) : undefined;
    return text === undefined || text.length > longestMark ? [] : [{ pid, startTime, text }];
  });
}

/** Start times are in steps of 10 ms, in which a process can start another one that has its mark. */
function isOlder(one: UnrecordedProcess, other: UnrecordedProcess): boolean {
  return one.startTime === other.startTime ? one.pid < other.pid : one.startTime < other.startTime;
}

/** What is known of a process without a record. Its log files are those of its settings: those that it has open are its own choice. */
export function leftBy({ pid, startTime, mark, text }: UnrecordedProcess, clock: Clock): LeftRecord {
  const { id, slot, restarts, isTrial } = mark;
  const age = Math.max(0, ((uptime() ?? 0) - startTime / units().ticks) * 1_000);
  return {
    id,
    slot,
    role: isTrial ? 'trial' : 'holder',
    was: { kind: 'found', pid, since: clock.now() - age },
    restarts,
    cutShort: 0,
    lastExit: null,
    endedAsAsked: false,
    spawnedAt: Math.round(clock.wall() - age),
    expectsToListen: false,
    hasListened: null,
    isSilent: false,
    identity: { pid, startTime, mark: text },
  };
}

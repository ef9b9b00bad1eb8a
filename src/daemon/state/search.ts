// Finds which of the recorded processes still run, and which processes run without a record.
import { basename } from 'node:path';
import type { AppSpec } from '../../config/app-spec.ts';
import { carriedVariable, markVariable } from '../../os/own-variables.ts';
import {
  allStats,
  environmentOfProcess,
  executableOf,
  readStat,
  runsAs,
  type Stat,
  units,
  uptime,
  variableOfProcess,
} from '../../os/proc.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Mac } from '../../shared/crypto/mac.ts';
import type { Life } from '../launch/life.ts';
import { isPreparing } from '../launch/preparation.ts';
import { type Carried, readCarried } from '../process/carried.ts';
import { brokerName, type Mark, markIn, readMark } from '../process/mark.ts';
import type { ProcessRecord } from '../process/record.ts';

/**
 * Whether it is the same process: checks pid, start time and the mark in its environment, since a small pid namespace
 * may reuse a pid within the same clock tick. Its user is not checked: it may have given up its rights since.
 */
export function isStillThere({ pid, startTime, mark }: Life): boolean {
  const stat = readStat(pid);
  if (!stat?.alive || stat.startTime !== startTime) return false;
  const says = markIn(environmentOfProcess(pid));
  return says === 'unreadable' || (says !== 'none' && says.mark === mark);
}

/** A process that carries a mark of this home. */
export interface Stray {
  pid: number;
  startTime: number;
  mark: Mark;
  /** The mark as it is in the environment. */
  text: string;
  /** Set if it was started while the state could not be written. */
  carried?: Carried;
}

export interface MarkedProcesses {
  /** Those that a daemon of this home has started. */
  ours: Stray[];
  /** Those that carry a mark of another user: they have read it in that user's process, or have changed their user. */
  others: Stray[];
  /** Brokers that a daemon of this home has started. */
  brokers: Stray[];
}

/**
 * Finds every process that a daemon of this home has started, by its mark. Each was started as a session leader;
 * processes that it starts may inherit the mark, but are younger. A process is ours only if it runs as the user that
 * the mark names, or is about to.
 */
export function findMarked({ home, uid }: { home: string; uid: number }, mac: Mac): MarkedProcesses {
  const oldest = new Map<number, Stray>();
  const others: Stray[] = [];
  for (const stray of allStats().flatMap((stat) => markedAs(stat, home, mac) ?? [])) {
    const { pid, mark } = stray;
    const known = oldest.get(mark.sequence);
    if (!runsAs(pid, mark.uid) && !isBecoming(pid, uid)) others.push(stray);
    else if (!known || isOlder(stray, known)) oldest.set(mark.sequence, stray);
  }
  const ours = [...oldest.values()];
  const isBroker = ({ mark }: Stray) => mark.app === brokerName;
  return { ours: ours.filter((stray) => !isBroker(stray)), others, brokers: ours.filter(isBroker) };
}

/**
 * Whether it still runs as the daemon's user, as the program that changes it (launch/privileges.ts), or as the one before that
 * (launch/preparation.ts). Any other may be a setuid program that the user has started.
 */
function isBecoming(pid: number, uid: number): boolean {
  return runsAs(pid, uid) && (basename(executableOf(pid)) === 'setpriv' || isPreparing(pid));
}

/** Checking a mark takes time for each character, and anybody can write a long one. An app's name has at most 128. */
const longestMark = 512;

function markedAs({ pid, session, startTime, alive }: Stat, home: string, mac: Mac): Stray | undefined {
  if (!alive || session !== pid) return undefined;
  const text = variableOfProcess(pid, markVariable);
  if (!text?.includes(`:${home}:`) || text.length > longestMark) return undefined;
  const mark = readMark(text, mac);
  if (mark?.home !== home) return undefined;
  const told = variableOfProcess(pid, carriedVariable);
  const carried = told === undefined ? undefined : readCarried(told, mark.sequence, mac);
  return { pid, startTime, mark, text, ...(carried && { carried }) };
}

/** Start times are in steps of 10 ms, in which a process can start another one that has its mark. */
function isOlder(one: Stray, other: Stray): boolean {
  return one.startTime === other.startTime ? one.pid < other.pid : one.startTime < other.startTime;
}

/**
 * The record that the daemon would have written a moment later. Its log files are those of its settings: the files
 * that it has open are its own choice.
 */
export function recordOf({ pid, startTime, mark, text }: Stray, spec: AppSpec, clock: Clock): ProcessRecord {
  const { id, slot, restarts, isTrial } = mark;
  const age = Math.max(0, ((uptime() ?? 0) - startTime / units().ticks) * 1_000);
  const since = clock.now() - age;
  // What says when it is loaded says so again.
  const loadedAt = spec.node ? null : since;
  const deadline = since + (spec.waitReady || spec.node ? spec.listenTimeout : spec.minUptime);
  return {
    id,
    slot,
    role: isTrial ? 'trial' : 'holder',
    state: { kind: 'starting', failures: 0, pid, since, loadedAt, deadline, late: false },
    restarts,
    cutShort: 0,
    lastExit: null,
    endedAsAsked: false,
    spawnedAt: Math.round(clock.wall() - age),
    expectsToListen: false,
    hasListened: null,
    isSilent: false,
    life: { pid, startTime, mark: text },
  };
}

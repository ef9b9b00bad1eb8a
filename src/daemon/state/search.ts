// Finds which of the recorded processes still run, and which processes run without a record.
import type { AppSpec } from '../../config/app-spec.ts';
import { lineFormatOf } from '../../config/line-format.ts';
import { allStats, environmentOfProcess, outputOf, readStat, units, uptime } from '../../os/proc.ts';
import { isForeign } from '../../os/trusted-path.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Life } from '../launch/life.ts';
import { type Mark, markIn, parseMark, renderMark } from '../process/mark.ts';
import type { ProcessRecord } from '../process/record.ts';

/**
 * Whether it is the same process: checks pid, start time and the mark in its environment, since a small pid namespace
 * may reuse a pid within the same clock tick.
 */
export function isStillThere({ pid, startTime, mark }: Life): boolean {
  const stat = readStat(pid);
  if (!stat?.alive || stat.startTime !== startTime) return false;
  const says = markIn(environmentOfProcess(pid));
  return says === 'unreadable' || (says !== 'none' && says.mark === mark);
}

/** A process that carries a mark. */
export interface Stray {
  pid: number;
  startTime: number;
  mark: Mark;
}

/**
 * Finds every process that a daemon of this home has started, by its mark. Each was started as a session leader;
 * processes that it starts may inherit the mark, but are younger.
 */
export function findMarked(home: string): Stray[] {
  const strays = new Map<number, Stray>();
  for (const { pid, session, startTime, alive } of allStats()) {
    if (!alive || session !== pid) continue;
    const says = markIn(environmentOfProcess(pid));
    const mark = typeof says === 'object' ? parseMark(says.mark) : undefined;
    if (typeof says !== 'object' || mark?.home !== home) continue;
    const known = strays.get(mark.sequence);
    if (!known || startTime < known.startTime) strays.set(mark.sequence, { pid, startTime, mark });
  }
  return [...strays.values()];
}

/** The record that the daemon would have written a moment later. */
export function recordOf({ pid, startTime, mark }: Stray, spec: AppSpec, clock: Clock): ProcessRecord {
  const { id, slot, restarts, isTrial } = mark;
  const age = Math.max(0, ((uptime() ?? 0) - startTime / units().ticks) * 1_000);
  const since = clock.now() - age;
  const deadline = since + (spec.waitReady ? spec.listenTimeout : spec.minUptime);
  return {
    id,
    slot,
    role: isTrial ? 'trial' : 'holder',
    state: { kind: 'starting', failures: 0, pid, since, deadline, late: false },
    restarts,
    cutShort: 0,
    lastExit: null,
    endedAsAsked: false,
    spawnedAt: Math.round(clock.wall() - age),
    expectsToListen: false,
    life: { pid, startTime, mark: renderMark(mark), ...logFilesOf(pid, spec) },
  };
}

/**
 * If its lines are formatted, the process itself only has the pipe that they go into. What an app of another user has
 * open may be any file, even one of root's.
 */
function logFilesOf(pid: number, spec: AppSpec): Pick<Life, 'outFile' | 'errorFile'> {
  if (lineFormatOf(spec) || isForeign(spec)) return {};
  const [outFile, errorFile] = outputOf(pid);
  return { outFile, errorFile };
}

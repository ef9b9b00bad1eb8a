// Collects facts about the daemon: from its files, from /proc, and by asking it. Its log has lines of the daemon itself and of its guard
// (bin/guard.sh).
import { readdirSync } from 'node:fs';
import { type Connection, openConnection } from '../ipc/client.ts';
import type { AppView } from '../ipc/views.ts';
import { fileText, isSameProcess, readStat, threadStates, variableOfProcess } from '../os/proc.ts';
import { realClock as clock, pause } from '../shared/clock.ts';
import { isInCopy } from '../shared/code/own-copy.ts';
import { logMessages, warningKey } from '../shared/daemon-log.ts';
import { detailOf, isFailure, NsvError } from '../shared/errors.ts';
import { lastWords } from '../shared/launch-log.ts';
import type { HomePaths } from '../shared/paths.ts';
import type { DaemonAnswer, DaemonFacts, LogFacts } from './facts.ts';

/** Milliseconds for the daemon to answer; it has the answer in memory. */
const timeout = 3_000;
/** Milliseconds between attempts: a starting daemon opens its socket after it has adopted the running processes. */
const interval = 50;

/** Does not launch a daemon. */
export async function talk(paths: HomePaths): Promise<{ answer: DaemonAnswer; apps: AppView[] }> {
  let connection: Connection | undefined;
  try {
    connection = await reach(paths);
    const { client } = connection;
    const view = await client.ping({});
    return {
      answer: { kind: 'well', view, build: connection.hello.build },
      apps: await client.describe({ targets: [] }),
    };
  } catch (error) {
    return { answer: answerBy(error), apps: [] };
  } finally {
    connection?.close();
  }
}

async function reach(paths: HomePaths): Promise<Connection> {
  const deadline = clock.now() + timeout;
  for (;;) {
    try {
      return await openConnection(paths, { silence: timeout });
    } catch (error) {
      const isBeginning = isNobody(error) && pidOf(paths).pid !== undefined;
      if (!isBeginning || clock.now() > deadline) throw error;
    }
    await pause(clock, interval);
  }
}

function isNobody(error: unknown): boolean {
  return isFailure(error, 'DAEMON_NOT_RUNNING');
}

function answerBy(error: unknown): DaemonAnswer {
  if (isNobody(error)) return { kind: 'nobody' };
  if (!(error instanceof NsvError)) return { kind: 'failed', detail: detailOf(error), hint: 'see daemon.log' };
  const { code, message, hint } = error;
  return code === 'DAEMON_SILENT'
    ? { kind: 'silent', seconds: timeout / 1_000 }
    : { kind: 'failed', detail: message, hint };
}

export function lookAtDaemon(paths: HomePaths, answer: DaemonAnswer): DaemonFacts {
  const inFile = pidOf(paths);
  const pid = answer.kind === 'well' ? answer.view.pid : inFile.pid;
  const launch = answer.kind === 'well' ? undefined : lastWords(paths.launchLog).reason;
  return {
    answer,
    log: readLog(paths.log),
    isStopped: pid !== undefined && isStandingStill(pid),
    ...inFile,
    ...(pid !== undefined && { pid, guard: guardOf(pid), descriptors: descriptorsOf(pid) }),
    launch,
  };
}

/** The file has the pid, the start time and the root of the daemon's programs, one per line (singleton.ts). */
function pidOf({ pid: file }: HomePaths): Pick<DaemonFacts, 'pid' | 'diedAs' | 'package'> {
  const [first, startTime, root] = fileText(file).split('\n');
  const pid = Number(first);
  if (!Number.isInteger(pid) || pid <= 0) return {};
  if (!isSameProcess({ pid, startTime: Number(startTime) || undefined })) return { diedAs: pid };
  return { pid, ...(root && !isInCopy(`${root}/dist/`) && { package: root }) };
}

/** A daemon started without a guard, as under systemd, does not have this variable. */
function guardOf(pid: number): DaemonFacts['guard'] {
  const guard = variableOfProcess(pid, 'NSV_GUARD');
  if (guard === undefined) return undefined;
  return readStat(pid)?.parent === Number(guard) ? 'there' : 'gone';
}

function descriptorsOf(pid: number): DaemonFacts['descriptors'] {
  try {
    const used = readdirSync(`/proc/${pid}/fd`).length;
    const limit = Number(/^Max open files\s+(\d+)/m.exec(fileText(`/proc/${pid}/limits`))?.[1]);
    return Number.isNaN(limit) ? undefined : { used, limit };
  } catch {
    return undefined;
  }
}

/** Whether every thread is stopped or traced. */
export function isStandingStill(pid: number): boolean {
  const states = threadStates(pid);
  return states.length > 0 && states.every((state) => state === 'T' || state === 't');
}

interface Line {
  time: number;
  level: number;
  msg: string;
  [warningKey]?: true;
  detail?: unknown;
  err?: { message?: string };
}

function readLog(file: string): LogFacts {
  const lines = fileText(file).split('\n').flatMap(parse);
  const begun = lines.findLastIndex(({ msg }) => msg === logMessages.ready);
  const current = lines.slice(lines.findLastIndex(({ msg }, at) => msg === logMessages.ready && at < begun) + 1);
  return {
    deaths: lines.filter(({ msg }) => msg.startsWith(logMessages.died)).map(({ time }) => time),
    isNewBoot: current.some(({ msg }) => msg === logMessages.rebooted),
    gaveUp: lines.slice(begun + 1).find(({ msg }) => msg.includes(logMessages.gaveUp))?.msg,
    warnings: current
      .filter((line) => line[warningKey])
      .map(({ time, msg, detail }) => ({ at: time, text: typeof detail === 'string' ? `${msg}: ${detail}` : msg })),
    lastError: lines.findLast(({ level, err }) => level === 60 && err?.message)?.err?.message,
  };
}

function parse(text: string): Line[] {
  try {
    const line = JSON.parse(text) as Partial<Line> | null;
    return typeof line?.msg === 'string' ? [{ time: 0, level: 0, ...line, msg: line.msg }] : [];
  } catch {
    return [];
  }
}

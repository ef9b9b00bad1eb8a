// Collects facts about apps, from the daemon or else from the saved state.
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AppSpec } from '../config/app-spec.ts';
import { whyNotExecutable } from '../daemon/launch/diagnosis.ts';
import type { AppView, ProblemView, ProcessView } from '../ipc/views.ts';
import { hasLostNode, isFile } from '../os/programs.ts';
import { detailOf } from '../shared/errors.ts';
import { isStandingStill } from './daemon.ts';
import type { AppFacts, LogFileFacts } from './facts.ts';
import { whyUnwritable } from './home.ts';

type Viewed = Pick<AppView, 'spec'> & Partial<Pick<AppView, 'processes' | 'sockets' | 'problems'>>;

/** Without a daemon that reports on the app, nothing but its settings is known. */
export function lookAtApp({ spec, processes = [], sockets = [], problems = [] }: Viewed): AppFacts {
  const inUse = filesOf(processes.filter(({ pid }) => pid !== null));
  return {
    spec,
    processes,
    sockets,
    problems: [...failedReload(processes), ...problems, ...lostNode(spec, problems)],
    logs: [...filesOf(processes)].flatMap((file) => lookAtLog(file, inUse.has(file))),
    stopped: processes.flatMap(({ pid }) => (pid !== null && isStandingStill(pid) ? pid : [])),
    unrunnable: whyUnrunnable(spec),
  };
}

/** That of the first process; the others say the same. */
function failedReload(processes: readonly ProcessView[]): ProblemView[] {
  return processes.flatMap(({ problems = [] }) => problems.filter(({ about }) => about === 'reload')).slice(0, 1);
}

/** Unless the daemon has noticed. */
function lostNode(spec: AppSpec, problems: readonly ProblemView[]): ProblemView[] {
  if (!hasLostNode(spec) || problems.some(({ about }) => about === 'interpreter')) return [];
  return [
    { about: 'interpreter', detail: `${spec.interpreter} is gone: the next start will use the daemon's Node`, ago: 0 },
  ];
}

/** Why it could not be started; undefined if it could. */
export function whyUnrunnable(spec: AppSpec): string | undefined {
  const { script, interpreter, cwd } = spec;
  const detail = whyNotExecutable(hasLostNode(spec) ? process.execPath : (interpreter ?? script), cwd);
  if (detail) return interpreter && detail === 'no such file' ? `its interpreter ${interpreter} is gone` : detail;
  return isFile(script) ? undefined : `its file ${script} is gone`;
}

function filesOf(processes: readonly ProcessView[]): Set<string> {
  return new Set(
    processes.flatMap(({ outFile, errorFile, logFile }) => [outFile ?? [], errorFile ?? [], logFile ?? []].flat()),
  );
}

/** Skips missing files, which are created with their directory when the process starts, and devices and pipes. */
function lookAtLog(file: string, isInUse: boolean): LogFileFacts[] {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats && !stats.isFile()) return [];
    const unwritable = (stats && whyUnwritable(file)) ?? whyUnwritable(isInUse ? dirname(file) : directoryAbove(file));
    return [{ file, size: stats?.size ?? 0, unwritable }];
  } catch (error) {
    return [{ file, size: 0, unwritable: detailOf(error) }];
  }
}

/** The nearest existing directory. */
function directoryAbove(file: string): string {
  const directory = dirname(file);
  return existsSync(directory) ? directory : directoryAbove(directory);
}

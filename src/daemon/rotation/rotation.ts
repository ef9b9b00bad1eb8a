// Builds and wires the log rotation of the daemon.
import { dirname } from 'node:path';
import { logsMax } from '../../config/environment.ts';
import type { Rotated } from '../../ipc/rotator-messages.ts';
import type { ProblemView, RotatedView } from '../../ipc/views.ts';
import { realClock as clock } from '../../shared/clock.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import type { HomePaths } from '../../shared/paths.ts';
import { settled } from '../../shared/promises.ts';
import type { Group } from '../apps/group.ts';
import { processesOf, type Selection } from '../apps/operations.ts';
import type { Registry } from '../apps/registry.ts';
import type { EventBus } from '../events.ts';
import type { Logger } from '../logger.ts';
import { Problems } from '../problems.ts';
import { filesOf, type LogFile, logFilesOf } from './log-files.ts';
import { createRotationScheduler } from './rotation-scheduler.ts';
import { createRotators } from './rotators.ts';

export type LogRotation = ReturnType<typeof createRotation>;

export interface LogRotationDeps {
  paths: HomePaths;
  events: EventBus;
  logger: Logger;
  registry: Registry;
  /** False once the home, which has the record of a rotation under way, was removed or replaced: nothing is rotated. */
  isIntact(): boolean;
}

export function createRotation({ paths, events, logger, registry, isIntact }: LogRotationDeps) {
  const usersOf = (file: string) =>
    registry.groups.filter((group) => placesOf(group).has(file)).map(({ name }) => name);
  const problems = new Problems(clock, (event) => events.emit({ ...event, apps: usersOf(event.file ?? '') }));
  const most = logsMax();
  if (most === undefined) logger.warn('NSV_LOGS_MAX is not a size such as 5G, so there is no limit');
  const runFor = createRotators(paths, {
    clock,
    deleted: (files) => events.emit({ type: 'delete-logs', files }),
    trouble: (detail) => logger.warn({ detail }, 'rotated files could not be cleaned up'),
  });
  const groups = () => (isIntact() ? registry.groups : []);
  const logs = { directory: paths.logs, most: most ?? 0 };
  const scheduler = createRotationScheduler({ clock, events, problems, groups, runFor, logs });

  function each(selections: readonly Selection[], run: (log: LogFile) => Promise<Rotated>): Promise<RotatedView[]> {
    const files = selections.flatMap((selection) =>
      processesOf(selection).flatMap((process) => filesOf(selection.group, process)),
    );
    const chosen = [...logFilesOf(registry.groups).values()].filter(({ file }) => files.includes(file));
    return settled(chosen.map(async (log) => ({ file: log.file, ...(await run(log)) })));
  }

  function reopen({ file, descriptors, owner, isForeign }: LogFile): Promise<Rotated> {
    const writers = descriptors.map(({ pid }) => pid);
    const trusted = isForeign && !owner ? { trusted: { home: paths.home } } : {};
    return runFor(owner)({ do: 'reopen', file, writers, descriptors, ...trusted }).catch((cause) => {
      throw failure('CANNOT_REOPEN', { file, detail: detailOf(cause) }, { cause });
    });
  }

  /** Looks whether the programs of these apps write to their logs, for whoever asks about them. */
  function look(groups: readonly Group[]): void {
    for (const log of logFilesOf(groups).values()) scheduler.lookForAstray(log);
  }

  return {
    /** Rotates all log files of the selected processes. Tries each file, then rejects with the first CANNOT_ROTATE. */
    rotateLogs: (selections: readonly Selection[]) => each(selections, scheduler.rotate),
    /** Restores log files that were renamed. Tries each file, then rejects with the first CANNOT_REOPEN. */
    reopenLogs: (selections: readonly Selection[]) => each(selections, reopen),
    problems,
    look,
    /** Those of the app's log files, and of their directories. */
    problemsOf(group: Group): ProblemView[] {
      if (!problems.exist) return [];
      look([group]);
      return problems.views(placesOf(group));
    },
  };
}

/** Its log files, and their directories. */
function placesOf(group: Group): ReadonlySet<string> {
  const files = group.all.flatMap((process) => filesOf(group, process));
  return new Set([...files, ...files.map(dirname)]);
}

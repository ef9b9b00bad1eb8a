// Watches the files of an app, and decides which changes of them count.
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Clock } from '../../../shared/clock.ts';
import { renderDuration } from '../../../shared/units.ts';
import type { Group } from '../../apps/group.ts';
import type { EventBus } from '../../events.ts';
import { Brake } from './brake.ts';
import { OwnFiles } from './own-files.ts';
import { Watcher } from './watcher.ts';

export interface WatchDeps {
  clock: Clock;
  events: EventBus;
  /** The nsv home; changes in it are no changes of an app. */
  home: string;
  /** The files that are written for any app, as its settings name them. */
  writtenFiles(): readonly string[];
}

/** Calls `changed` with one of the files that have changed, until the returned function is called. */
export function watchFiles(
  group: Group,
  { clock, events, home, writtenFiles }: WatchDeps,
  changed: (file: string) => void,
): () => void {
  const { watch, ignoreWatch, watchDelay, cwd } = group.spec;
  const brake = new Brake(clock, group.spec.script);
  const own = new OwnFiles(home, writtenFiles);
  const report = (detail: string | null, path?: string) => group.problems.set('watch', detail, path);
  let cancel: (() => void) | undefined;
  // Those of the watcher before this one, which is closed next.
  group.problems.clear('watch');
  const unsubscribe = events.subscribe((event) => {
    if (event.type !== 'start') return;
    own.expire();
    if (event.app === group.name) brake.started(event.slot);
  });

  function onChange(files: readonly string[], since: number): void {
    const { script } = group.spec;
    // Its return is another change: a build has removed its output before it writes it.
    if (isAbsolute(script) && !existsSync(script)) return;
    const { counting, ignored, rest } = brake.judge(files, since);
    for (const file of ignored)
      report(`${file} changes whenever the app starts, and is ignored from now on: add it to ignore_watch`, file);
    const [file] = counting;
    if (file === undefined || (rest > 0 && cancel)) return;
    cancel?.();
    cancel = undefined;
    if (rest === 0) {
      changed(file);
      return;
    }
    const time = renderDuration(rest);
    report(`${file} changes whenever the app starts: the next restart is put off by ${time}`, file);
    cancel = clock.after(rest, () => {
      cancel = undefined;
      report(null, file);
      changed(file);
    });
  }

  const watcher = new Watcher({
    paths: watch,
    ignore: ignoreWatch,
    own,
    cwd,
    delay: watchDelay,
    clock,
    onChange,
    onProblem: report,
  });
  return () => {
    unsubscribe();
    cancel?.();
    watcher.close();
    if (group.spec.watch.length === 0) group.problems.clear('watch');
  };
}

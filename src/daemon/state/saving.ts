// Writes the saved list: on request, or after each change with `nsv save --auto`.
import type { Params } from '../../ipc/protocol.ts';
import type { SavedView } from '../../ipc/views.ts';
import type { Clock } from '../../shared/clock.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { glanceAt, peekSavedList, type SavedApp, takeSavedList, writeSavedList } from './saved-list.ts';

export type Saving = ReturnType<typeof createSaving>;

export interface SavingOptions {
  file: string;
  clock: Clock;
  /** The current list. An app that has not changed has the same objects, not equal ones. */
  list(): SavedApp[];
  /** Whether the file may be written. Default: yes. */
  mayWrite?(): boolean;
  /** Whether a command is under way, whose end may change the list without a call of `changed`. */
  isUnderWay(): boolean;
  /** Called with a message if the list cannot be saved. */
  logError(text: string): void;
}

/** Milliseconds from a change until it is saved: a deployment makes many changes. */
const saveAfter = 1_000;
/** Milliseconds between two attempts on a full disk. */
const retryAfter = 10_000;

export function createSaving({ file, clock, list, mayWrite = () => true, isUnderWay, logError }: SavingOptions) {
  let isOn = false;
  let hasBegun = false;
  let problem: unknown;
  /** Undefined until this daemon has saved a list. */
  let last: SavedApp[] | undefined;
  /** Saved apps that this daemon has never had: saving others must not drop them. */
  let unseen: SavedApp[] = [];
  let cancel: (() => void) | undefined;

  function wait(ms: number): void {
    cancel ??= clock.after(ms, due);
  }

  function due(): void {
    cancel = undefined;
    look();
    if (isUnderWay()) wait(saveAfter);
  }

  function look(): void {
    const apps = list();
    if ((last && isSame(apps, last)) || !mayWrite()) return;
    unseen = without(unseen, apps);
    try {
      writeSavedList(file, { auto: true, apps: [...apps, ...unseen] });
      last = apps;
      problem = undefined;
    } catch (error) {
      if (problem === undefined) logError(`${detailOf(error)}; will retry`);
      // Of CANNOT_WRITE, what the system says.
      problem = (error as Error).cause ?? error;
      wait(retryAfter);
    }
  }

  function forget(): void {
    cancel?.();
    cancel = undefined;
  }

  /**
   * Saves pending changes at once. Needed after a deletion: the next daemon knows of every other change from the state of
   * the apps, but would take an app that is only in the saved list for one that nobody has started yet.
   */
  function flush(): void {
    if (!cancel) return;
    forget();
    due();
  }

  return {
    /**
     * Continues with the `auto` setting of the saved list. Until then no change is saved. `removed`: apps whose deletion the
     * previous daemon has begun, and which are not kept as apps that this daemon has never had.
     */
    begin(removed: readonly string[] = []) {
      hasBegun = true;
      // Without `auto`, this daemon does not write the list until a command says so.
      const saved = glanceAt(file)?.auto ? takeSavedList(file) : undefined;
      for (const problem of saved?.problems ?? []) logError(problem);
      isOn = saved?.auto === true;
      unseen = without(saved?.apps ?? [], list()).filter(({ spec }) => !removed.includes(spec.name));
      if (isOn) wait(saveAfter);
      if (removed.length > 0) flush();
    },
    /** Call it when the list may have changed; it is cheap. */
    changed() {
      if (isOn) wait(saveAfter);
    },
    /**
     * Writes the current list. `auto`: whether to save changes from now on; default: as before. Without `force`, an empty list does not
     * replace one with apps. `empty`: writes a list without apps. Throws CANNOT_WRITE, and NOTHING_TO_SAVE if that leaves nothing to do.
     */
    save({ auto: wanted, force = false, empty = false }: Params<'save'> = {}): SavedView {
      const saved = glanceAt(file);
      const auto = wanted ?? saved?.auto ?? false;
      const apps = empty ? [] : list();
      const isKept = apps.length === 0 && !force && !empty && saved !== undefined && saved.apps > 0;
      const kept = isKept ? (peekSavedList(file)?.apps ?? []) : [];
      if (kept.length > 0 && wanted === undefined) throw failure('NOTHING_TO_SAVE', { file, apps: kept.length });
      writeSavedList(file, { auto, apps: [...apps, ...kept] }, saved !== undefined);
      forget();
      isOn = auto && hasBegun;
      last = apps;
      unseen = kept;
      if (isOn && isUnderWay()) wait(saveAfter);
      return { file, apps: apps.length + kept.length, auto };
    },
    flush,
    /** Throws NOT_RECORDED if a change could not be saved, and still cannot be. */
    expectSaved() {
      if (problem !== undefined) flush();
      if (problem !== undefined) throw failure('NOT_RECORDED', { file, detail: detailOf(problem) }, { cause: problem });
    },
    /** Saves pending changes, and nothing after that: all apps are about to be stopped. */
    close() {
      flush();
      forget();
      isOn = false;
    },
  };
}

function without(apps: readonly SavedApp[], others: readonly SavedApp[]): SavedApp[] {
  const names = new Set(others.map(({ spec }) => spec.name));
  return apps.filter(({ spec }) => !names.has(spec.name));
}

function isSame(some: readonly SavedApp[], others: readonly SavedApp[]): boolean {
  if (some.length !== others.length) return false;
  const keys = ['spec', 'active', 'isLeftAlone', 'runtimeSettings'] as const;
  return some.every((app, index) => keys.every((key) => app[key] === others[index]?.[key]));
}

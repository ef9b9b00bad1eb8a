// The saved list: written when somebody asks for it, or after each change where that was asked for (`nsv save --auto`).
import type { SavedView } from '../../ipc/views.ts';
import type { Clock } from '../../shared/clock.ts';
import { detailOf } from '../../shared/errors.ts';
import { peekSavedList, type SavedApp, writeSavedList } from './saved-list.ts';

export interface Saving {
  /** Goes on with what was asked of the daemon before this one. Until then no change is saved. */
  begin(): void;
  /** The list may have changed; costs next to nothing, however often it is called. */
  changed(): void;
  /** Writes the list of now. `auto`: whether changes are saved from now on; absent: as before. Throws CANNOT_WRITE. */
  save(auto?: boolean): SavedView;
  /** What is still to be saved is, without a wait. */
  flush(): void;
  /** All apps are about to be stopped: what is still to be saved is, and nothing after that. */
  close(): void;
}

export interface SavingOptions {
  file: string;
  clock: Clock;
  /** The list of now. An app that has not changed has the same `spec`, not an equal one. */
  list(): SavedApp[];
  /** A command is under way, whose end may change the list without another word. */
  isUnderWay(): boolean;
  /** Told what cannot be saved. */
  tell(text: string): void;
}

/** Milliseconds from a change until it is saved: a deployment makes many. */
const saveAfter = 1_000;
/** Between two attempts on a disk that is full. */
const retryAfter = 10_000;

export function createSaving({ file, clock, list, isUnderWay, tell }: SavingOptions): Saving {
  let isOn = false;
  let hasBegun = false;
  let hasFailed = false;
  /** Undefined as long as this daemon has saved nothing. */
  let last: SavedApp[] | undefined;
  /** Saved apps that this daemon has never had: to save others is no reason to forget these. */
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
    if (last && isSame(apps, last)) return;
    unseen = without(unseen, apps);
    try {
      writeSavedList(file, { auto: true, apps: [...apps, ...unseen] });
      last = apps;
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) tell(`${detailOf(error)}; will retry`);
      hasFailed = true;
      wait(retryAfter);
    }
  }

  function forget(): void {
    cancel?.();
    cancel = undefined;
  }

  function flush(): void {
    if (!cancel) return;
    forget();
    due();
  }

  return {
    begin() {
      hasBegun = true;
      const saved = peekSavedList(file);
      isOn = saved?.auto === true;
      unseen = without(saved?.apps ?? [], list());
      if (isOn) wait(saveAfter);
    },
    changed() {
      if (isOn) wait(saveAfter);
    },
    save(wanted) {
      const auto = wanted ?? peekSavedList(file)?.auto ?? false;
      const apps = list();
      writeSavedList(file, { auto, apps });
      forget();
      isOn = auto && hasBegun;
      last = apps;
      unseen = [];
      if (isOn && isUnderWay()) wait(saveAfter);
      return { file, apps: apps.length, auto };
    },
    flush,
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
  return some.every(({ spec, active }, index) => spec === others[index]?.spec && active === others[index].active);
}

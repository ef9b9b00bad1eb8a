// Keeps a record of each death. Nothing is read or written before a process dies or somebody asks.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fromFileName, inFileName } from '../../config/app-name.ts';
import type { DeathView } from '../../ipc/views.ts';
import type { EventBus } from '../events.ts';
import { DeathFile, type DeathFileDeps } from './death-file.ts';

export type Deaths = ReturnType<typeof createDeaths>;

export interface DeathsDeps extends DeathFileDeps {
  directory: string;
  events: EventBus;
  isKnown(app: string): boolean;
  /** Called with each record, or again with one that has happened once more. */
  recorded(death: DeathView): void;
}

const ending = '.jsonl';
/** Milliseconds for which the records of an app are kept that is gone without having been deleted. */
const keptAfterwards = 30 * 24 * 3_600_000;

/** Records of an app that is deleted are deleted with it. */
export function createDeaths({ directory, events, isKnown, recorded, ...deps }: DeathsDeps) {
  const files = new Map<string, DeathFile>();
  let isPruned = false;

  function fileOf(app: string): DeathFile {
    const known = files.get(app) ?? new DeathFile(join(directory, inFileName(app) + ending), app, deps);
    files.set(app, known);
    return known;
  }

  /** Once per daemon, as it is about to write there anyway. */
  function prune(): void {
    if (isPruned) return;
    isPruned = true;
    try {
      const names = deps.mayWrite() ? readdirSync(directory) : [];
      const apps = names.filter((name) => !isKnown(fromFileName(name.replace(/\.jsonl(\.bad)?$/, ''))));
      for (const path of apps.map((name) => join(directory, name))) {
        if (deps.clock.wall() - statSync(path).mtimeMs > keptAfterwards) rmSync(path, { force: true });
      }
    } catch {
      // There is no such directory yet, or somebody else has removed the file.
    }
  }

  events.subscribe((event) => {
    if (event.type === 'exit' && event.death) {
      prune();
      recorded(fileOf(event.app).add(event.death));
    } else if (event.type === 'delete' && !isKnown(event.app)) {
      fileOf(event.app).remove();
      files.delete(event.app);
    }
  });

  return {
    /** Those of one app, oldest first. */
    of: (app: string) => fileOf(app).records(),
    /** Writes what has been counted: call it before the daemon exits. */
    flush() {
      for (const file of files.values()) file.flush();
    },
  };
}

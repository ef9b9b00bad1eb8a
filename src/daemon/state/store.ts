// The state files: `state.json`, and the one before it as `state.json.1`.
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { draftOf, reserve, spoil, writeAtomicallyInBackground } from '../../shared/atomic-file.ts';
import { errnoOf } from '../../shared/errno.ts';
import { detailOf } from '../../shared/errors.ts';
import type { Snapshot } from '../process/record.ts';
import { type DecodedState, decodeState } from './codec.ts';
import { type InvalidRecord, quarantine } from './invalid-record.ts';

export interface StoredState {
  snapshot?: Snapshot;
  /** The newest file could not be used, so recent commands may be missing. */
  isOlder: boolean;
  /** Apps whose records cannot be used; they are kept in a file beside the state. */
  invalid: InvalidRecord[];
  /** Messages for people. */
  problems: string[];
}

export interface StoreOptions {
  file: string;
  /** Why an intact snapshot cannot be used here; undefined if it can. */
  reject(snapshot: Snapshot): string | undefined;
  /** Whether the machine has been up since a snapshot was written, so that no power cut can have lost a later write. */
  isSameRun(snapshot: Snapshot): boolean;
  /** Milliseconds since 1970. */
  wall(): number;
}

interface Unusable {
  name: string;
  problem: string;
  /** It can be read, but belongs to another place. */
  isForeign: boolean;
}

/** Bytes by which the file grows. An app takes one to two kilobytes. */
const step = 32 * 1024;

/**
 * On a full disk, an answered command must be written down as well: any app may have filled the disk with its log. So three
 * files take turns, and each is overwritten where it is. Their size leaves room for some more apps.
 */
export function createStore({ file, reject, isSameRun, wall }: StoreOptions) {
  const draft = draftOf(file);
  const previous = `${file}.1`;
  /** The one before that, until it becomes the next draft. */
  const spare = `${file}.2`;

  function load(name: string): DecodedState | Unusable | undefined {
    try {
      // Opening a FIFO may block for ever, and a device may have no end.
      if (!statSync(name).isFile()) return { name, problem: 'not a regular file', isForeign: false };
      const decoded = decodeState(readFileSync(name));
      const problem = reject(decoded.snapshot);
      return problem === undefined ? decoded : { name, problem, isForeign: true };
    } catch (error) {
      return errnoOf(error) === 'ENOENT' ? undefined : { name, problem: detailOf(error), isForeign: false };
    }
  }

  function moveAway({ name, problem }: Unusable): string {
    const kept = `${file}.bad-${wall()}${name === previous ? '.1' : ''}`;
    try {
      renameSync(name, kept);
      return `failed to read ${name}: ${problem}; kept as ${kept}`;
    } catch (error) {
      return `failed to read ${name}: ${problem}; failed to move it away: ${detailOf(error)}`;
    }
  }

  const publishing = {
    beforeRename() {
      if (namesOf(previous) === 1) {
        rmSync(spare, { force: true });
        linkSync(previous, spare);
      }
      // A hard link to the old file, so that there is no moment without a state.
      rmSync(previous, { force: true });
      if (existsSync(file)) linkSync(file, previous);
    },
    afterRename() {
      if (!existsSync(spare)) return;
      // A whole draft would be taken for the newest state.
      spoil(spare);
      renameSync(spare, draft);
    },
  };

  /** So that the next write does not overwrite the newest state. */
  function publishDraft(): string[] {
    try {
      publishing.beforeRename();
      renameSync(draft, file);
      publishing.afterRename();
      return [];
    } catch (error) {
      return [`failed to rename ${draft} to ${file}: ${detailOf(error)}`];
    }
  }

  return {
    /**
     * Reads the newest state that can be used. Files that cannot be used are moved aside and reported. Without any that can,
     * `beforeLoss` is called first, and may throw: what a file would say cannot be read, and that is not the same as nothing.
     */
    read(beforeLoss: (problem: string) => void = () => {}): StoredState {
      const problems: string[] = [];
      const unusable: Unusable[] = [];
      const use = (found: DecodedState, isOlder: boolean) => {
        problems.push(...quarantine(file, found.invalid, wall()).problems);
        return { ...found, isOlder, problems };
      };
      // A daemon may have died when its draft was complete and not yet the file. After a power cut, an older one may look like that:
      // nobody waited until it was spoiled on the disk, too.
      const drafted = load(draft);
      if (drafted && 'snapshot' in drafted && isSameRun(drafted.snapshot)) {
        problems.push(...publishDraft());
        return use(drafted, false);
      }
      for (const name of [file, previous]) {
        const found = load(name);
        if (found && 'snapshot' in found) {
          problems.push(...unusable.map(moveAway));
          return use(found, name === previous);
        }
        if (found) unusable.push(found);
      }
      const unread = unusable.filter(({ isForeign }) => !isForeign);
      if (unread.length > 0) beforeLoss(unread.map(({ name, problem }) => `${name}: ${problem}`).join('; '));
      problems.push(...unusable.map(moveAway));
      return { isOlder: false, invalid: [], problems };
    },
    /**
     * Replaces the file as a whole or not at all. Call it for one write at a time. Rejects with the system's error.
     * `kept` is called before it is on the disk, as soon as the next daemon would read it.
     */
    write(bytes: Buffer, kept: () => void) {
      const blanks = Buffer.alloc(step - (bytes.length % step), ' ');
      const size = bytes.length + blanks.length;
      return writeAtomicallyInBackground(file, [bytes, blanks], {
        afterWrite: kept,
        beforeRename: publishing.beforeRename,
        afterRename() {
          publishing.afterRename();
          // The first time, there are no older files; later, they may be shorter.
          for (const next of [draft, existsSync(previous) ? previous : spare]) reserve(next, size);
        },
      });
    },
    /** Deletes the state, so that the next daemon starts afresh. */
    remove() {
      // The older file first: without the newer one it would be taken for the current state.
      for (const name of [draft, spare, previous, file]) rmSync(name, { force: true });
    },
  };
}

/** Under how many names a file is known. Two if a daemon has died while it wrote. */
function namesOf(name: string): number {
  return statSync(name, { throwIfNoEntry: false })?.nlink ?? 0;
}

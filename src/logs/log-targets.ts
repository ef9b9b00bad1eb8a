// The log files that formatted lines go to, each open once, however many streams share it.
import type { SourceOwner } from '../ipc/formatter-messages.ts';
import type { Clock } from '../shared/clock.ts';
import { LogTarget, type Target, type TargetNews } from './log-target.ts';
import { OwnersTarget } from './owners-target.ts';

type Log = Record<'error' | 'warn', (facts: object, text: string) => void>;

/** Reports in the daemon's log which files cannot be written. */
export function writeFailuresTo(logger: Log): TargetNews {
  return {
    failed: (file, detail) => logger.error({ file, detail }, 'a log cannot be written, so its lines are lost'),
    written: (file, lost) => lost > 0 && logger.warn({ file, lost }, 'a log can be written again'),
  };
}

type OpenTarget = Target & { close(): void };

interface Acquired {
  target: Target;
  /** Called once, when the stream has ended. */
  release(): void;
}

export class LogTargets {
  readonly #clock: Clock;
  readonly #news: TargetNews;
  readonly #targets = new Map<string, { target: OpenTarget; users: number }>();

  constructor(clock: Clock, news: TargetNews) {
    this.#clock = clock;
    this.#news = news;
  }

  /**
   * `copy`: another file that gets the same lines. `cwd`: of the app. `ownerOf`: the user who has to write a file; undefined for the
   * own user.
   */
  acquire(
    file: string,
    copy: string | undefined,
    cwd: string,
    ownerOf: (file: string) => SourceOwner | undefined,
  ): Acquired {
    const own = this.#acquire(file, cwd, ownerOf(file));
    if (copy === undefined || copy === file) return own;
    const common = this.#acquire(copy, cwd, ownerOf(copy));
    return {
      target: copiedTarget(own.target, common.target),
      release() {
        own.release();
        common.release();
      },
    };
  }

  #acquire(file: string, cwd: string, owner: SourceOwner | undefined): Acquired {
    // Different users may write the same file.
    const key = owner ? `${owner.uid}:${owner.gid}:${file}` : file;
    const entry = this.#targets.get(key) ?? { target: this.#create(file, cwd, owner), users: 0 };
    entry.users += 1;
    this.#targets.set(key, entry);
    return { target: entry.target, release: () => this.#release(key) };
  }

  #create(file: string, cwd: string, owner: SourceOwner | undefined): OpenTarget {
    const log = { file, cwd };
    return owner ? new OwnersTarget(log, owner, this.#clock, this.#news) : new LogTarget(log, this.#clock, this.#news);
  }

  #release(key: string): void {
    const entry = this.#targets.get(key);
    if (!entry) return;
    entry.users -= 1;
    if (entry.users > 0) return;
    entry.target.close();
    this.#targets.delete(key);
  }
}

/** Two log files that get the same lines: that of an output, and the common one of an app. */
export function copiedTarget(...both: [own: Target, common: Target]): Required<Target> {
  return {
    get isFull() {
      return both.some(({ isFull }) => isFull);
    },
    async drained() {
      await Promise.all(both.map((target) => target.drained()));
    },
    async written() {
      await Promise.all(both.map((target) => target.written()));
    },
    hurry() {
      for (const target of both) target.hurry?.();
    },
    write(text, encoding) {
      for (const target of both) target.write(text, encoding);
    },
  };
}

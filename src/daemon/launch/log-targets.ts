// The log files that formatted lines go to, each open once, however many streams share it.
import type { SourceOwner } from '../../ipc/formatter-messages.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../logger.ts';
import { LogTarget, type Target, type TargetNews } from '../output/log-target.ts';
import { OwnersTarget } from './foreign/owners-target.ts';

/** Tells the daemon's log of files that cannot be written. */
export function tellLog(logger: Logger): TargetNews {
  return {
    failed: (file, detail) => logger.error({ file, detail }, 'a log cannot be written, so its lines are lost'),
    recovered: (file, lost) => logger.warn({ file, lost }, 'a log can be written again'),
  };
}

export class LogTargets {
  readonly #clock: Clock;
  readonly #news: TargetNews;
  readonly #targets = new Map<string, { target: Target; users: number }>();

  constructor(clock: Clock, news: TargetNews) {
    this.#clock = clock;
    this.#news = news;
  }

  /** `owner`: the user who has to write the file; absent for the own user. `release` is called once, when the stream has ended. */
  acquire(file: string, owner: SourceOwner | undefined): { target: Target; release(): void } {
    // Different users may write the same file.
    const key = owner ? `${owner.uid}:${owner.gid}:${file}` : file;
    const entry = this.#targets.get(key) ?? { target: this.#create(file, owner), users: 0 };
    entry.users += 1;
    this.#targets.set(key, entry);
    return { target: entry.target, release: () => this.#release(key) };
  }

  #create(file: string, owner: SourceOwner | undefined): Target {
    return owner
      ? new OwnersTarget(file, owner, this.#clock, this.#news)
      : new LogTarget(file, this.#clock, this.#news);
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

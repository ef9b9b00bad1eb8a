// A process with all that descends from it, while it is being ended.
import type { Identity } from './tree.ts';

/** What ending a family needs of the machine. */
export interface TreeControl {
  /** Signals one process if it still is the one meant; false when it is gone. */
  signal(who: Identity, signal: NodeJS.Signals): boolean;
  /** Everything alive that belongs to a process, itself included; `known` members are followed even when orphaned. */
  treeOf(who: Identity, known?: readonly Identity[], isFresh?: boolean): Identity[];
  /** Whether anything is left in the process group that a process led. */
  groupLives(pid: number): boolean;
}

/** A tree that forks faster than it is killed gets its next rounds a second later. */
const killRounds = 4;

export class ProcessTree {
  readonly #root: Identity;
  readonly #reaper: TreeControl;
  /** As they were found last: what loses its parents meanwhile is still known. */
  #members: Identity[] = [];

  constructor(root: Identity, reaper: TreeControl) {
    this.#root = root;
    this.#reaper = reaper;
  }

  /** While the root lives only it is asked, and it decides about its children; then those it left are. */
  ask(signal: NodeJS.Signals): void {
    const members = this.#find(false);
    if (this.#reaper.signal(this.#root, signal)) return;
    for (const member of members) this.#reaper.signal(member, signal);
  }

  /** What was forked while the first round of signals went out is found by the next. */
  kill(): void {
    for (let round = 0; round < killRounds; round += 1) {
      const before = new Set(this.#members.map(({ pid }) => pid));
      const members = this.#find(true);
      for (const member of members) this.#reaper.signal(member, 'SIGKILL');
      if (round > 0 && members.every(({ pid }) => before.has(pid))) return;
    }
  }

  /**
   * Kills what a root that ended by itself left behind. One system call when that is nothing: a crash loop must stay
   * cheap. A child that has left the process group, as those of interactive shells do, is not seen.
   */
  clean(): void {
    if (this.#reaper.groupLives(this.#root.pid)) this.kill();
  }

  isGone(): boolean {
    return this.#find(false).length === 0;
  }

  #find(isFresh: boolean): Identity[] {
    this.#members = this.#reaper.treeOf(this.#root, this.#members, isFresh);
    return this.#members;
  }
}

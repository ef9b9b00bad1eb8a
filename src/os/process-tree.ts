// A process and its descendants while they are being stopped.
import { killAllIn, removeCgroup } from './cgroups/app-cgroups.ts';
import type { Identity } from './proc.ts';
import type { Age, TreeRoot } from './tree.ts';

/** The system calls that stopping a tree needs. */
export interface TreeControl {
  /** Signals a process if the pid still belongs to it; returns false if it is gone. */
  signal(who: Identity, signal: NodeJS.Signals): boolean;
  /** All live processes of a tree, the root included. `known` members are followed even after they are orphaned. */
  treeOf(who: TreeRoot, known?: readonly Identity[], age?: Age): Identity[];
  /** A quick look, before that at all processes: whether one that has ended after `age` ms may have left anything. */
  mayHaveLeft(who: TreeRoot, age: number): boolean;
}

/** A tree that forks faster than it is killed gets its next rounds one second later. */
const killRounds = 4;

export class ProcessTree {
  readonly #root: TreeRoot;
  readonly #reaper: TreeControl;
  /** Members found by the last look. They are still known if their parents exit. */
  #members: Identity[] = [];

  constructor(root: TreeRoot, reaper: TreeControl) {
    this.#root = root;
    this.#reaper = reaper;
  }

  /** Signals only the root while it lives, since it decides about its children; then the members it left behind. */
  ask(signal: NodeJS.Signals): void {
    // What it has started since that look is found later, by its session or its mark.
    this.#find('recent');
    if (this.#reaper.signal(this.#root, signal)) return;
    for (const member of this.#find('turn')) this.#reaper.signal(member, signal);
  }

  /** Repeats the signals, because members can fork while a round goes out. */
  kill(): void {
    if (this.#root.cgroup !== undefined) killAllIn(this.#root.cgroup);
    for (let round = 0; round < killRounds; round += 1) {
      const before = new Set(this.#members.map(({ pid }) => pid));
      const members = this.#find('new');
      for (const member of members) this.#reaper.signal(member, 'SIGKILL');
      if (round > 0 && members.every(({ pid }) => before.has(pid))) return;
    }
  }

  /** Asks what a root that exited by itself after `age` ms has left behind to exit. Returns false if there is nothing. */
  askLeftovers(signal: NodeJS.Signals, age: number): boolean {
    if (!this.#reaper.mayHaveLeft(this.#root, age)) {
      this.#removeCgroup();
      return false;
    }
    if (this.isGone()) return false;
    this.ask(signal);
    return true;
  }

  isGone(): boolean {
    const isGone = this.#find('turn').length === 0;
    if (isGone) this.#removeCgroup();
    return isGone;
  }

  #removeCgroup(): void {
    if (this.#root.cgroup !== undefined) removeCgroup(this.#root.cgroup);
  }

  #find(age: Age): Identity[] {
    this.#members = this.#reaper.treeOf(this.#root, this.#members, age);
    return this.#members;
  }
}

// Holds back the starts of an app that nobody asked for while an app that it depends on is not ready: it would most
// likely fail, and use up its restart limit. What a user asks for goes ahead.
import type { ManagedProcess } from '../../process/process.ts';
import type { Group } from '../group.ts';
import type { Dependencies } from './dependencies.ts';

/** Milliseconds: any delay makes a restart ask first whether it is held (`Group.prepareRestart`). */
const shortest = 1;

type Owner = Pick<Group, 'name' | 'spec' | 'emit'>;

interface Held {
  go(): void;
  isTold: boolean;
}

export class Hold {
  readonly #group: Owner;
  readonly #others: Dependencies | undefined;
  /** Processes whose restart is due. */
  readonly #restarts = new Map<ManagedProcess, Held>();
  /** The start of the whole app, which a boot or an interrupted command has left. */
  #start: (Held & { drop(): void }) | undefined;

  constructor(group: Owner, others: Dependencies | undefined) {
    this.#group = group;
    this.#others = others;
  }

  /** The shortest delay of a restart, in milliseconds. */
  get delay(): number {
    return this.#missing()?.length === 0 ? 0 : shortest;
  }

  /** Whether the app is to start as soon as it may. */
  get isStartDue(): boolean {
    return this.#start !== undefined;
  }

  /** The apps that the process waits for; empty if it is not held. */
  waitsFor(process: ManagedProcess): string[] {
    const { kind } = process.state;
    if (kind === 'stopped' && this.#start) return this.#missing(true) ?? [];
    return kind === 'backoff' && this.#restarts.has(process) ? (this.#missing() ?? []) : [];
  }

  /** Calls `go` as soon as everything that the app depends on is ready. */
  pass(process: ManagedProcess, go: () => void): void {
    this.#restarts.set(process, { go, isTold: false });
    this.look();
  }

  /**
   * Resolves with true as soon as everything that the app depends on is ready, except for apps that are not to run; with
   * false if a command takes over before.
   */
  mayStart(): Promise<boolean> {
    if (this.#missing(true)?.length === 0) return Promise.resolve(true);
    this.drop();
    return new Promise((resolve) => {
      const end = (may: boolean) => {
        this.#start = undefined;
        resolve(may);
      };
      this.#start = { go: () => end(true), drop: () => end(false), isTold: false };
      this.look();
    });
  }

  /** A command starts or stops the app. */
  drop(): void {
    this.#start?.drop();
  }

  /** Call it when an app that this one depends on may have become ready, or may be gone. */
  look(): void {
    for (const [process, held] of this.#restarts) {
      const { state, id, slot } = process;
      const missing = this.#missing();
      const isDue = state.kind === 'backoff' || state.kind === 'errored';
      if (!isDue || missing?.length === 0) this.#restarts.delete(process);
      if (isDue) this.#goOrTell(held, missing, { id, slot });
    }
    if (this.#start) this.#goOrTell(this.#start, this.#missing(true), {});
  }

  /** Nothing is told before all apps are known. */
  #goOrTell(held: Held, missing: string[] | undefined, subject: { id?: number; slot?: number }): void {
    if (missing?.length === 0) held.go();
    else if (missing && !held.isTold) {
      held.isTold = true;
      this.#group.emit({ type: 'held', app: this.#group.name, ...subject, waitsFor: missing });
    }
  }

  #missing(onlyMeantToRun = false): string[] | undefined {
    return this.#others ? this.#others.missing(this.#group.spec, onlyMeantToRun) : [];
  }
}

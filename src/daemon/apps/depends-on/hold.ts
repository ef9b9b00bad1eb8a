// The start of a whole app that nobody asked for, after a boot or by a command that a dead daemon has left: it waits for the apps
// that this one depends on. What a user asks for goes ahead. Restarts wait by the table of processes.
import type { AppSpec } from '../../../config/app-spec.ts';
import { isStopped } from '../../process/lifecycle/classes.ts';
import type { ManagedProcess } from '../../process/process.ts';
import type { GroupContext } from '../group-context.ts';

export interface Dependencies {
  /**
   * The apps that this one depends on and that are not ready. Undefined until all apps are known. `onlyMeantToRun`:
   * without those that are not to run. Leaves out apps that nsv does not know, and those that depend on this one in turn.
   */
  missing(app: Pick<AppSpec, 'name' | 'dependsOn'>, onlyMeantToRun?: boolean): string[] | undefined;
  /** Call it when the settings of an app are new. */
  described(group: GroupContext): void;
  /** Call it when an app may have become ready, or may not be ready any more. */
  changed(group: GroupContext): void;
  /** Call it when an app was removed. */
  removed(group: GroupContext): void;
  /** All apps are known from now on: the daemon has adopted those of the previous one. */
  complete(): void;
}

type Owner = Pick<GroupContext, 'name' | 'spec' | 'emit'>;

export class Hold {
  readonly #group: Owner;
  readonly #others: Dependencies | undefined;
  #start: { end(may: boolean): void; isReported: boolean } | undefined;

  constructor(group: Owner, others: Dependencies | undefined) {
    this.#group = group;
    this.#others = others;
  }

  /** Whether the app is to start as soon as it may. */
  get isStartDue(): boolean {
    return this.#start !== undefined;
  }

  /** The apps that this one depends on and that are not ready; undefined while not all apps are known. */
  get missing(): string[] | undefined {
    return this.#missing(false);
  }

  /** The apps that the process waits for; empty if it is not held. */
  waitsFor(process: ManagedProcess): string[] {
    if (isStopped(process) && this.#start) return this.#missing(true) ?? [];
    return process.isWaiting ? (this.missing ?? []) : [];
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
      this.#start = { end, isReported: false };
      this.look();
    });
  }

  /** A command starts or stops the app. */
  drop(): void {
    this.#start?.end(false);
  }

  /** Call it when an app that this one depends on may have become ready, or may be gone. Nothing is told before all apps are known. */
  look(): void {
    const missing = this.#start && this.#missing(true);
    if (!this.#start || !missing) return;
    if (missing.length === 0) this.#start.end(true);
    else if (!this.#start.isReported) {
      this.#start.isReported = true;
      this.#group.emit({ type: 'held', app: this.#group.name, waitsFor: missing });
    }
  }

  #missing(onlyMeantToRun: boolean): string[] | undefined {
    return this.#others ? this.#others.missing(this.#group.spec, onlyMeantToRun) : [];
  }
}

// One running process of a slot: the program, its descendants, the line to its worker, and its error log.
import { describeCause, type EndReason } from '../../ipc/records/deaths.ts';
import type { Exit } from '../../ipc/views.ts';
import { ProcessTree } from '../../os/process-tree.ts';
import { isFailure, type NsvError } from '../../shared/errors.ts';
import { type Child, type ChildEvents, type Launcher, type LaunchPlan, processIdentityOf } from '../launch/launcher.ts';
import { ErrorOutput } from '../output/error-output.ts';
import { describeDeath } from './death/death.ts';
import { type EndCause, endingOf, type LastWords, lastWordsOf } from './death/ending.ts';
import type { Host } from './host.ts';
import type { RestartHistory } from './lifecycle/state.ts';
import type { ProcessContext } from './process-context.ts';
import { loseAnswers } from './questions.ts';
import type { ProcessRecord } from './record.ts';
import { Unready } from './unready.ts';
import { type LineOwner, WorkerLine } from './worker-line.ts';

/** The process of a slot, of which this is the running part. */
export interface ProcessOwner extends LineOwner {
  /** Whether its messages still count: the channel may outlast the process. */
  isCurrent(running: RunningProcess): boolean;
  /** The process was reaped. `problem`: its logs could not be opened, so the program has not run. */
  exited(running: RunningProcess, exit: Exit, problem?: NsvError): void;
  /** The process is to take no work for now, for this reason; null if it can again. */
  readinessChanged(unready: string | null): void;
}

export class RunningProcess implements ChildEvents {
  readonly child: Child;
  readonly tree: ProcessTree;
  readonly line: WorkerLine;
  /** Why it is to take no work for now. */
  readonly unready: Unready;
  /** What it has printed to its error log, and to its output. */
  readonly errors: ErrorOutput;
  readonly output: ErrorOutput;
  #lastWords: LastWords | undefined;
  #ending: EndCause | undefined;
  readonly #owner: ProcessOwner;
  readonly #app: ProcessContext;
  readonly #host: Host;
  /** Requests that were in flight when it was killed. */
  cutShort = 0;

  /** Throws the error that kept the program from being executed. */
  constructor(plan: LaunchPlan, owner: ProcessOwner, app: ProcessContext, host: Host, launcher: Launcher) {
    this.#owner = owner;
    this.#app = app;
    this.#host = host;
    this.errors = new ErrorOutput([plan]);
    this.output = new ErrorOutput([{ ...plan, errorFile: plan.outFile }]);
    try {
      this.child = launcher.launch(plan, this);
      app.problems.set('package', null);
    } catch (error) {
      if (isFailure(error, 'PACKAGE_GONE')) app.problems.set('package', error.message);
      throw error;
    }
    this.unready = new Unready(
      this.child,
      app.sockets,
      (reason) => owner.isCurrent(this) && owner.readinessChanged(reason),
    );
    this.tree = new ProcessTree(this.child, host);
    this.line = new WorkerLine(this.child, app, owner, this.unready);
    this.line.greet();
  }

  exited(exit: Exit, problem?: NsvError): void {
    loseAnswers(this.child, 'it exited');
    this.#app.inApp.gone(this.child);
    this.#owner.exited(this, exit, problem);
  }

  message(...[message, internal, handle]: Parameters<ChildEvents['message']>): void {
    if (this.#owner.isCurrent(this)) this.line.onMessage(message, internal, handle);
    else handle?.close();
  }

  cutOff(reason: string): void {
    this.#app.sockets.lost(this.child);
    loseAnswers(this.child, `it has lost its IPC channel, because ${reason}`);
    if (this.#owner.isCurrent(this)) this.#owner.emit({ type: 'channel-closed', pid: this.child.pid, reason });
  }

  lost(): void {
    this.#app.sockets.lost(this.child);
    loseAnswers(this.child, 'it has lost its connection to the daemon for a moment');
  }

  /** What it had printed when it ended. */
  get lastWords(): LastWords {
    this.#lastWords ??= lastWordsOf(this, this.line.unloadable, this.#host.clock.wall());
    return this.#lastWords;
  }

  /** Why it has ended by itself. */
  endingBy(exit: Exit): EndCause {
    this.#ending ??= endingOf(exit, this.child, this.lastWords, this.#app.sockets, this.#host);
    return this.#ending;
  }

  /** The same, as a decision about what follows needs it. */
  accountOf(exit: Exit, isFirst: boolean): { why?: EndReason; account?: RestartHistory } {
    const { hung } = this.line;
    if (hung) return { why: hung };
    const { cause, detail, isLasting: isRefused = false } = this.endingBy(exit);
    const { error = null, output } = this.lastWords;
    const about = describeCause({ cause, about: describeDeath({ cause, detail, error, exit, output }) });
    const isLasting = isRefused || this.line.unloadable !== undefined;
    // Only a first start asks for it, and a look at all processes is not free.
    const hasLeft = isFirst && exit.code === 0 && !this.tree.isGone();
    return { account: { about, isFailure: cause === 'listen failed', isLasting, hasLeft } };
  }

  /** It is killed: returns the number of requests that were in flight. */
  cut(): number {
    const requests = this.line.takeInFlight();
    this.cutShort += requests;
    return requests;
  }

  /** Sends the stop signal. */
  signal(): void {
    this.tree.ask(this.line.stopSignal);
  }

  /** Sends the stop signal to what is left of its descendants; false if nothing is. `age`: milliseconds it has lived. */
  askLeftovers(age: number): boolean {
    return this.tree.askLeftovers(this.line.stopSignal, age);
  }

  /** For the next daemon. */
  record(): Pick<ProcessRecord, 'identity' | 'unready'> {
    const unready = this.unready.of('ready probe');
    return { identity: processIdentityOf(this.child), ...(unready !== undefined && { unready }) };
  }
}

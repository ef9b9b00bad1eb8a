// One running process of a slot: the program, its descendants, the line to its worker, and its error log.
import type { AppSpec } from '../../config/app-spec.ts';
import { describeCause, type EndReason } from '../../ipc/records/deaths.ts';
import type { Exit } from '../../ipc/views.ts';
import { ProcessTree } from '../../os/process-tree.ts';
import type { Child, ChildEvents, Launcher, LaunchPlan } from '../launch/launcher.ts';
import { lifeOf } from '../launch/life.ts';
import { ErrorOutput } from '../output/error-output.ts';
import { describeDeath } from './death/death.ts';
import { type Ending, endingOf, type LastWords, lastWordsOf } from './death/ending.ts';
import type { Host } from './host.ts';
import type { Account } from './lifecycle/state.ts';
import type { News } from './news.ts';
import type { ProcessContext } from './process-context.ts';
import { loseAnswers } from './questions.ts';
import type { ProcessRecord } from './record.ts';
import type { Remains } from './remaining.ts';
import { Unready } from './unready.ts';
import { WorkerLine } from './worker-line.ts';

export interface ProcessListener {
  /** The settings the process was started with, plus changes that apply to all running processes. */
  settings(): AppSpec;
  news: News;
  exited: ChildEvents['exited'];
  /** Whether its messages still count: the channel may outlast the process. */
  isCurrent(): boolean;
}

export class RunningProcess {
  readonly child: Child;
  readonly tree: ProcessTree;
  readonly line: WorkerLine;
  /** The HTTP requests it had received when it exceeded its limit. */
  requestsAtLimit: number | undefined;
  /** Why it is to take no work for now. */
  readonly unready: Unready;
  /** What clients still have of it, as it last reported; undefined while it serves. */
  remains: Remains | undefined;
  /** What it has printed to its error log, and to its output. */
  readonly errors: ErrorOutput;
  readonly output: ErrorOutput;
  #lastWords: LastWords | undefined;
  #ending: Ending | undefined;
  readonly #app: ProcessContext;
  readonly #host: Host;
  /** Requests that were in flight when it was killed. */
  cutShort = 0;

  /** Throws the error that kept the program from being executed. */
  constructor(plan: LaunchPlan, app: ProcessContext, host: Host, launcher: Launcher, listener: ProcessListener) {
    const { settings, news, exited, isCurrent } = listener;
    const hear: ChildEvents['message'] = (...news) => this.line.hear(...news);
    const own = this;
    this.#app = app;
    this.#host = host;
    this.errors = new ErrorOutput([plan]);
    this.output = new ErrorOutput([{ ...plan, errorFile: plan.outFile }]);
    this.child = launcher.launch(plan, {
      exited(...end) {
        loseAnswers(own.child, 'it exited');
        app.inApp.gone(own.child);
        exited(...end);
      },
      message(message, internal, handle) {
        if (isCurrent()) hear(message, internal, handle);
        else handle?.close();
      },
      cutOff(reason) {
        app.sockets.lost(own.child);
        loseAnswers(own.child, `it has lost its IPC channel, because ${reason}`);
        if (isCurrent()) news.cutOff(reason);
      },
      lost() {
        app.sockets.lost(own.child);
        loseAnswers(own.child, 'it has lost its connection to the daemon for a moment');
      },
    });
    this.unready = new Unready(this.child, app.sockets, (reason) => isCurrent() && news.unready(reason));
    this.tree = new ProcessTree(this.child, host);
    this.line = new WorkerLine(this.child, { app, settings, news, unready: this.unready });
    this.line.greet();
  }

  /** What it had printed when it ended. */
  get lastWords(): LastWords {
    this.#lastWords ??= lastWordsOf(this, this.#host.clock.wall());
    return this.#lastWords;
  }

  /** Why it has ended by itself. */
  endingBy(exit: Exit): Ending {
    this.#ending ??= endingOf(exit, this.child, this.lastWords, this.#app.sockets, this.#host);
    return this.#ending;
  }

  /** The same, as a decision about what follows needs it. */
  accountOf(exit: Exit): { why?: EndReason; account?: Account } {
    const { hung } = this.line;
    if (hung) return { why: hung };
    const { cause, detail } = this.endingBy(exit);
    const { error = null, output } = this.lastWords;
    const about = describeCause({ cause, about: describeDeath({ cause, detail, error, exit, output }) });
    return { account: { about, isFailure: cause === 'listen failed' } };
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
  record(): Pick<ProcessRecord, 'life' | 'unready'> {
    const unready = this.unready.of('ready probe');
    return { life: lifeOf(this.child), ...(unready !== undefined && { unready }) };
  }
}

// One running process of a slot: the program, its descendants, the line to its worker, and its error log.
import type { AppSpec } from '../../config/app-spec.ts';
import { ProcessTree } from '../../os/process-tree.ts';
import type { Child, ChildEvents, Launcher, LaunchPlan } from '../launch/launcher.ts';
import { ErrorOutput } from '../output/error-output.ts';
import type { Host } from './host.ts';
import type { ProcessContext } from './process-context.ts';
import { type News, WorkerLine } from './worker-line.ts';

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
  /** Whether it has reported that only idle connections are left. */
  isLingering = false;
  /** What it has printed to its error log. */
  readonly errors: ErrorOutput;

  /** Throws the error that kept the program from being executed. */
  constructor(plan: LaunchPlan, app: ProcessContext, host: Host, launcher: Launcher, listener: ProcessListener) {
    const { settings, news, exited, isCurrent } = listener;
    const hear: ChildEvents['message'] = (...news) => this.line.hear(...news);
    const own = this;
    this.errors = new ErrorOutput([plan]);
    this.child = launcher.launch(plan, {
      exited,
      message(message, internal, handle) {
        if (isCurrent()) hear(message, internal, handle);
        else handle?.close();
      },
      cutOff(reason) {
        app.sockets.lost(own.child);
        if (isCurrent()) news.cutOff(reason);
      },
      lost: () => app.sockets.lost(own.child),
    });
    this.tree = new ProcessTree(this.child, host);
    this.line = new WorkerLine(this.child, { app, settings, news });
    this.line.greet();
  }
}

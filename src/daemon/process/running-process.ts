// What fills a slot for one life: the program that was started, whatever it starts, the line to it, and its error log.
import type { AppSpec } from '../../config/app-spec.ts';
import type { Exit } from '../../ipc/views.ts';
import { ProcessTree } from '../../os/process-tree.ts';
import type { Child, ChildEvents, Launcher, LaunchPlan } from '../launch/launcher.ts';
import { ErrorOutput } from '../output/error-output.ts';
import type { Host } from './host.ts';
import type { ProcessContext } from './process-context.ts';
import { type News, WorkerLine } from './worker-line.ts';

export interface ProcessListener {
  news: News;
  exited(exit: Exit): void;
  /** Whether what it says still counts: its channel may outlast it. */
  isCurrent(): boolean;
}

export class RunningProcess {
  readonly child: Child;
  readonly tree: ProcessTree;
  readonly line: WorkerLine;
  /** How many HTTP requests it had been asked when it was above its limit of them. */
  requestsAtLimit: number | undefined;
  /** What it has printed to its error log. */
  readonly errors: ErrorOutput;

  /** Throws what keeps the program from being executed. */
  constructor(
    plan: LaunchPlan,
    app: ProcessContext,
    settings: () => AppSpec,
    host: Host,
    launcher: Launcher,
    listener: ProcessListener,
  ) {
    const { news, exited, isCurrent } = listener;
    const hear: ChildEvents['message'] = (...news) => this.line.hear(...news);
    this.errors = new ErrorOutput([plan.errorFile]);
    this.child = launcher.launch(plan, {
      exited,
      message(message, internal, handle) {
        if (isCurrent()) hear(message, internal, handle);
        else handle?.close();
      },
    });
    this.tree = new ProcessTree(this.child, host);
    this.line = new WorkerLine(this.child, { app, settings, news });
    this.line.greet();
  }
}

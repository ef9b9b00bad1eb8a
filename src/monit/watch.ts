// Connects the model, the screen and the daemon.
import type { LogSink, LogSource } from '../cli/render/log-line.ts';
import type { Paint } from '../cli/render/paint.ts';
import { hasQueues } from '../client/queues/queues.ts';
import type { ProcessView } from '../ipc/views.ts';
import type { Clock } from '../shared/clock.ts';
import { detailOf } from '../shared/errors.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
import type { ScreenEffect } from './actions.ts';
import { Drawer } from './drawer.ts';
import { createFeed } from './feed.ts';
import type { ScreenConnection } from './link.ts';
import { initialModel, labelOf, type Model, type Request } from './model.ts';
import { renderScreen } from './render/screen.ts';
import { type RawTerminal, takeTerminal } from './terminal.ts';
import { type ScreenEvent, updateModel } from './update.ts';

interface LogFollower {
  /** Also reads these files. */
  add(sources: readonly LogSource[]): Promise<void>;
  /** Emits new lines until the process ends. */
  follow(clock: Clock): Promise<never>;
}

/** What the screen needs of those who read log files: the command line does, and hands them in. */
export interface Logs {
  sourcesOf(processes: readonly ProcessView[]): LogSource[];
  /** Starts with the last lines of each file. */
  open(sink: LogSink): LogFollower;
}

/** Milliseconds from an answer of the daemon to the next request. */
const interval = 1_000;
/** Milliseconds from what a process has told about its queues to the next question. */
const queueInterval = 2_000;

interface WatchDeps {
  link: ScreenConnection;
  targets: readonly string[];
  paint: Paint;
  clock: Clock;
  logs: Logs;
}

export class Watch {
  readonly #deps: WatchDeps;
  readonly #logs: LogFollower;
  #model: Model = initialModel({ columns: 80, rows: 24 });
  #terminal!: RawTerminal;
  #drawer!: Drawer;
  #end!: () => void;
  #isAskingForQueues = false;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#logs = deps.logs.open(createFeed((entries) => this.#happen({ type: 'logged', entries })));
  }

  /** Resolves when the user quits or the terminal is gone; the terminal is restored by then. */
  async run(process: NodeJS.Process, processes: readonly ProcessView[]): Promise<void> {
    const { link, paint, clock } = this.#deps;
    const ended = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    this.#terminal = takeTerminal(process, {
      pressed: (key) => this.#happen({ type: 'pressed', key }),
      resized: () => this.#resized(),
      gone: () => this.#end(),
    });
    this.#drawer = new Drawer(
      () => renderScreen(this.#model, paint),
      (text) => this.#terminal.write(text),
      clock,
    );
    link.onLost(() => this.#happen({ type: 'lost', reason: 'lost the connection to the daemon' }));
    link.onReplaced((pid) => this.#notice('warning', `connected to a new daemon, pid ${pid}`));
    this.#resized();
    await this.#listed(processes);
    this.#logs.follow(clock).catch((error) => this.#notice('bad', `cannot follow the logs: ${detailOf(error)}`));
    this.#askSoon();
    await ended;
    this.#terminal.giveBack();
  }

  #happen(event: ScreenEvent): void {
    const { model, effect } = updateModel(this.#model, event);
    this.#model = model;
    this.#drawer.soon();
    if (effect) this.#perform(effect);
  }

  #notice(tone: 'good' | 'bad' | 'warning', text: string): void {
    this.#happen({ type: 'noticed', notice: { tone, text } });
  }

  #resized(): void {
    this.#happen({ type: 'resized', size: this.#terminal.size });
    this.#drawer.anew();
  }

  #perform(effect: ScreenEffect): void {
    if (effect.do === 'ask') this.#ask(effect.request, effect.process).catch(throwUncaught);
    else if (effect.do === 'quit') this.#end();
    else if (effect.do === 'suspend') this.#terminal.suspend();
    else this.#drawer.anew();
  }

  async #ask(request: Request, process: ProcessView): Promise<void> {
    const what = `${request} ${labelOf(process)}`;
    this.#notice('warning', `${what} …`);
    try {
      await this.#deps.link.ask(request, process.id);
      this.#notice('good', `${what}: done`);
    } catch (error) {
      this.#notice('bad', detailOf(error));
    }
  }

  /** Repeats until the process ends. A daemon that does not answer may answer the next time. */
  #askSoon(): void {
    this.#deps.clock.after(interval, () => this.#askNow().catch(throwUncaught));
  }

  async #askNow(): Promise<void> {
    try {
      await this.#listed(await this.#deps.link.list(this.#deps.targets));
    } catch (error) {
      this.#happen({ type: 'lost', reason: detailOf(error) });
    }
    this.#askSoon();
  }

  async #listed(processes: readonly ProcessView[]): Promise<void> {
    this.#happen({ type: 'listed', processes });
    this.#countQueues(processes).catch(throwUncaught);
    await this.#logs.add(this.#deps.logs.sourcesOf(processes));
  }

  /** Beside the list, which a process that does not answer must not hold up. */
  async #countQueues(processes: readonly ProcessView[]): Promise<void> {
    if (this.#isAskingForQueues) return;
    if (!hasQueues(processes)) {
      if (this.#model.queues.length > 0) this.#happen({ type: 'counted', queues: [] });
      return;
    }
    this.#isAskingForQueues = true;
    // A daemon that is gone is told of by the list.
    const queues = await this.#deps.link.queuesOf(processes).catch(() => undefined);
    if (queues) this.#happen({ type: 'counted', queues });
    this.#deps.clock.after(queueInterval, () => {
      this.#isAskingForQueues = false;
    });
  }
}

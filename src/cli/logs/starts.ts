// What is started while logs are shown: where in its log files the output of each process begins, as the events of starts tell, and
// apps that are new.
import type { EventView } from '../../ipc/journal/event-views.ts';
import type { LogFilesView } from '../../ipc/views.ts';
import { type Clock, pause, realClock } from '../../shared/clock.ts';
import { isFailure } from '../../shared/errors.ts';
import { homePaths } from '../../shared/paths.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Context } from '../command.ts';
import { readJournal } from '../events/journal.ts';
import type { Start } from '../render/log-line.ts';
import type { LogStream } from './stream.ts';

/** Starts of apps whose files are not known yet. */
const mostWaiting = 200;

/** Marks the starts in the files of a stream. */
export class Starts {
  readonly #stream: Pick<LogStream, 'mark'>;
  #views: readonly LogFilesView[] = [];
  #waiting: { event: EventView; isNew: boolean }[] = [];

  constructor(stream: Pick<LogStream, 'mark'>) {
    this.#stream = stream;
  }

  /** Call it when the stream has their files. */
  know(views: readonly LogFilesView[]): void {
    this.#views = views;
    for (const { event, isNew } of this.#waiting.splice(0)) this.onEvent(event, isNew);
  }

  /** `isNew`: while the logs are followed. */
  onEvent(event: EventView, isNew: boolean): void {
    const { app, slot, logsAt, at } = event;
    if (event.type !== 'start' || app === undefined || slot === undefined || !logsAt) return;
    const view = this.#views.find((other) => other.name === app && other.slot === slot);
    if (!view) {
      this.#waiting.push({ event, isNew });
      if (this.#waiting.length > mostWaiting) this.#waiting.shift();
      return;
    }
    const isOnly = this.#views.every(({ name, slot }) => name !== app || slot === view.slot);
    const start = { at, app, slot: isOnly ? undefined : slot };
    this.#mark(view.outFile, logsAt.out, start, isNew);
    this.#mark(view.errorFile, logsAt.err, start, isNew);
  }

  #mark(file: string | null, offset: number | undefined, start: Start, isNew: boolean): void {
    if (file !== null && offset !== undefined) this.#stream.mark(file, offset, start, isNew);
  }
}

/** The starts that the journal knows, in order; none if it cannot be read, as the logs are there all the same. */
export function pastStarts(): EventView[] {
  try {
    return readJournal(homePaths().events, undefined, (line) => line.includes('"start"'));
  } catch (error) {
    if (isFailure(error, 'CANNOT_READ_JOURNAL')) return [];
    throw error;
  }
}

/** Milliseconds without a daemon until the next attempt. */
const interval = 2_000;

/** Follows starts until the process ends. Ignores failures, as `lookForNewApps` does, and tries again. */
export async function followStarts(
  { open }: Pick<Context, 'open'>,
  targets: string[],
  onEvent: (event: EventView) => void,
): Promise<never> {
  for (;;) {
    const connection = await open().catch(() => undefined);
    connection?.onEvent(onEvent);
    await connection?.client.follow({ targets }).catch(() => undefined);
    connection?.close();
    await pause(realClock, interval);
  }
}

/** Milliseconds from an answer to the next request. */
const pollPause = 1_500;

/** Polls until the process ends. Ignores failures: the daemon may restart, and a target may match nothing for now. */
export function lookForNewApps(
  clock: Clock,
  ask: () => Promise<LogFilesView[] | undefined>,
  found: (views: LogFilesView[]) => void | Promise<void>,
): void {
  clock.after(pollPause, () => {
    ask()
      .then((views) => found(views ?? []))
      .then(() => lookForNewApps(clock, ask, found))
      .catch(throwUncaught);
  });
}

// All formatted streams of one home.
import type { FromFormatter, Source, ToFormatter } from '../ipc/formatter-messages.ts';
import { createRenderer } from '../logs/line-renderer.ts';
import { LogTargets } from '../logs/log-targets.ts';
import type { Clock } from '../shared/clock.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
import type { Records } from './records.ts';
import { FormattedStream } from './stream.ts';

export interface FormatterDeps {
  records: Records;
  clock: Clock;
  send(message: FromFormatter): void;
  /** Called after streams were added or removed. */
  changed(): void;
}

const levels = ['out', 'err'] as const;

export class Formatter {
  readonly #deps: FormatterDeps;
  readonly #sources = new Map<string, Map<'out' | 'err', FormattedStream>>();
  readonly #targets: LogTargets;

  constructor(deps: FormatterDeps) {
    this.#deps = deps;
    this.#targets = new LogTargets(deps.clock, {
      failed: (file, detail) => deps.send({ is: 'failed', file, detail }),
      written: (file, lost) => deps.send({ is: 'written', file, lost }),
    });
  }

  get isIdle(): boolean {
    return this.#sources.size === 0;
  }

  onMessage(message: ToFormatter): void {
    if (message.do === 'read') this.#read(message.source);
    else this.#finish(message.id);
  }

  /** Resumes the streams of a previous formatter. */
  restore(): void {
    for (const source of this.#deps.records.read()) this.#read(source);
  }

  #read(source: Source): void {
    const { id } = source;
    if (this.#sources.has(id)) return;
    this.#deps.records.write(source);
    const streams = new Map<'out' | 'err', FormattedStream>();
    this.#sources.set(id, streams);
    for (const level of levels) this.#open(source, level, streams);
    if (streams.size === 0) this.#forget(id);
    this.#deps.changed();
  }

  #open(source: Source, level: 'out' | 'err', streams: Map<'out' | 'err', FormattedStream>): void {
    const { id, app, cwd, slot, pid, format, log, [level]: file } = source;
    if (file === null) return;
    const { records, clock } = this.#deps;
    const ownerOf = (each: string) => (source.theirs?.includes(each) ? source.owner : undefined);
    const { target, release } = this.#targets.acquire(file, log, cwd, ownerOf);
    const ended = () => {
      streams.delete(level);
      release();
      if (streams.size === 0) this.#forget(id);
    };
    const renderer = createRenderer(format, { app, slot, pid, level });
    try {
      const files = { fifo: records.fifo(id, level), tail: records.tail(id, level) };
      streams.set(level, new FormattedStream({ ...files, target, renderer, clock, ended }));
    } catch {
      // The FIFO is gone: processes that have not opened it can no longer write to it.
      release();
    }
  }

  #finish(id: string): void {
    const streams = [...(this.#sources.get(id)?.values() ?? [])];
    Promise.all(streams.map((stream) => stream.finish()))
      .then(() => this.#deps.send({ is: 'finished', id }))
      .catch(throwUncaught);
  }

  #forget(id: string): void {
    this.#sources.delete(id);
    this.#deps.records.remove(id);
    this.#deps.changed();
  }
}

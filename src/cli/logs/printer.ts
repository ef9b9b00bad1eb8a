// Filters and renders the lines of `nsv logs`, and writes them to standard output in large chunks.
import type { Clock } from '../../shared/clock.ts';
import type { Output } from '../command.ts';
import type { LogLine, LogSink, LogSource, Start } from '../render/log-line.ts';
import { printable } from '../render/text.ts';
import { lineTimeOf } from './line-time.ts';

export interface PrinterOptions {
  render: LogLine;
  /** What is printed where a process was started; undefined for nothing. */
  renderStart?: (start: Start) => Buffer;
  matches(line: Buffer): boolean;
  /** The number of lines shown of a file without times. */
  linesUntimed: number;
}

const newline = Buffer.from('\n');

export function createPrinter(out: Output, clock: Clock, options: PrinterOptions): LogSink {
  const { render, renderStart, matches, linesUntimed } = options;
  let parts: Buffer[] = [];
  /** Starts in the past, by file, for which no line has been printed yet. */
  const silent = new Map<string, Start>();
  /** Starts that have been printed. Each is in two files. */
  const printed = new WeakSet<Start>();

  function print(start: Start): void {
    printed.add(start);
    if (renderStart) parts.push(renderStart(start), newline);
  }

  return {
    emit(source, line, { isNew, startedAt, changedAt }) {
      if (!matches(line)) return;
      const start = silent.get(source.file);
      silent.delete(source.file);
      // Files without times are shown one after another, so each of them tells it.
      if (start && !(printed.has(start) && lineTimeOf(line) !== undefined)) print(start);
      const seen = isNew ? clock.wall() : undefined;
      parts.push(
        ...render(source, line, { own: () => lineTimeOf(line), seen, notBefore: startedAt, notAfter: changedAt }),
        newline,
      );
    },
    start({ file }, start, isNew) {
      if (!isNew) silent.set(file, start);
      else if (!printed.has(start)) print(start);
    },
    async flush() {
      const bytes = Buffer.concat(parts);
      parts = [];
      if (bytes.length > 0) await out.pass(bytes);
      // Lets signals be handled if writing never waits.
      await new Promise((resolve) => setImmediate(resolve));
    },
    tellUntimed: ({ file }: LogSource) =>
      out.note(
        `nsv: lines in ${printable(file)} have no times; showing the last ${linesUntimed}, as it was written to since then`,
      ),
  };
}

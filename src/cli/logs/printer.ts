// Filters and renders the lines of `nsv logs`, and writes them to standard output in large chunks.
import type { Clock } from '../../shared/clock.ts';
import type { Output } from '../command.ts';
import type { LogLine, LogSink, LogSource } from '../render/log-line.ts';
import { printable } from '../render/text.ts';
import { timeOf } from './line-time.ts';

export interface PrinterOptions {
  render: LogLine;
  matches(line: Buffer): boolean;
  /** The number of lines shown of a file without times. */
  linesUntimed: number;
}

const newline = Buffer.from('\n');

export function createPrinter(out: Output, clock: Clock, { render, matches, linesUntimed }: PrinterOptions): LogSink {
  let parts: Buffer[] = [];
  return {
    emit(source, line, isNew) {
      if (matches(line))
        parts.push(
          ...render(source, line, { own: () => timeOf(line), seen: isNew ? clock.wall() : undefined }),
          newline,
        );
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

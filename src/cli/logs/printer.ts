// Where the lines of `nsv logs` go: sifted, rendered, and on to standard output in large parts.
import type { Clock } from '../../shared/clock.ts';
import type { Output } from '../command.ts';
import type { LogLine, LogSink, LogSource } from '../render/log-line.ts';
import { printable } from '../render/text.ts';
import { timeOf } from './line-time.ts';

export interface PrinterOptions {
  render: LogLine;
  matches(line: Buffer): boolean;
  /** Lines that are shown of a file without times. */
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
      // Where writing never waits, a signal would have to.
      await new Promise((resolve) => setImmediate(resolve));
    },
    tellUntimed: ({ file }: LogSource) =>
      out.note(
        `nsv: lines in ${printable(file)} have no times; showing the last ${linesUntimed}, as it was written to since then`,
      ),
  };
}

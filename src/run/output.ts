// The output of the apps and the messages of nsv itself.
import type { AppSpec } from '../config/app-spec.ts';
import { type LineFormat, lineFormatOf } from '../config/logs.ts';
import type { RunOptions } from '../config/options/run-fields.ts';
import { createMessages, type Logger } from '../daemon/logger.ts';
import { logFiles } from '../daemon/output/files.ts';
import type { Formatting } from '../daemon/output/formatting.ts';
import type { Outlet, Streams } from '../daemon/output/streams.ts';
import { createRenderer, type LineOrigin } from '../logs/line-renderer.ts';
import type { Clock } from '../shared/clock.ts';
import { detailOf } from '../shared/errors.ts';
import { RunFormatting } from './formatting.ts';
import { allPassed, passLines } from './lines.ts';
import { createWriters } from './writer.ts';

export interface RunOutput {
  logger: Logger;
  /** A file if the user has named one, else standard output and standard error. */
  filesOf(spec: AppSpec, slot: number): Pick<Streams, 'outFile' | 'errorFile' | 'logFile' | 'format'>;
  /** For files. */
  formatting: Pick<Formatting, 'open'>;
  /** Resolves when all output of the apps is written; does not wait for processes that they left behind. */
  drained(): Promise<void>;
}

type RunSettings = Pick<RunOptions, 'json' | 'logLevel'>;

export function createOutput({ json, logLevel }: RunSettings, clock: Clock): RunOutput {
  const writers = createWriters(clock, (name, error) =>
    logger.error({ detail: detailOf(error) }, `${name} cannot be written, so its lines are lost`),
  );
  const logger = createMessages((line) => writers.stderr.write(line), logLevel);
  const open = new Set<Promise<void>>();
  const formatting = new RunFormatting(clock, logger, track);

  function track(passed: Promise<void>): void {
    open.add(passed);
    // Never rejects.
    void passed.then(() => open.delete(passed));
  }

  function outlet(stream: 'out' | 'err', spec: AppSpec, slot: number): Outlet {
    const writer = stream === 'out' ? writers.stdout : writers.stderr;
    const format = lineFormatOf(spec);
    if (!json && !format) return stream === 'out' ? 1 : 2;
    return (output, pid) => {
      const origin = { app: spec.name, slot, pid, level: stream };
      const render = json || !format ? inObjects(origin, clock) : formatted(format, origin, clock);
      track(passLines(output, (lines, isPiece) => writer.write(render(lines, isPiece)), writer));
    };
  }

  return {
    logger,
    formatting,
    filesOf(spec, slot) {
      const named = logFiles(spec, slot, '/');
      const { outFile = spec.logFile, errorFile = spec.logFile } = spec;
      return {
        ...named,
        ...(outFile === undefined && { outFile: outlet('out', spec, slot) }),
        ...(errorFile === undefined && { errorFile: outlet('err', spec, slot) }),
        format: lineFormatOf(spec),
      };
    },
    async drained() {
      await allPassed(open, clock);
      await Promise.all([writers.stdout.drained(), writers.stderr.drained()]);
    },
  };
}

/** Renders one or more lines, separated by newlines and valid only during the call, to text that ends with a newline. */
type RenderLines = (lines: Buffer, isPiece: boolean) => string | Buffer;

/** The format of `--json`. */
function inObjects({ app: name, slot, level: stream }: LineOrigin, clock: Clock): RenderLines {
  const render = (line: string) => `${JSON.stringify({ time: clock.wall(), name, slot, stream, line })}\n`;
  return (lines) => lines.toString().split('\n').map(render).join('');
}

function formatted(format: LineFormat, origin: LineOrigin, clock: Clock): RenderLines {
  const { encoding, render } = createRenderer(format, origin);
  return (lines, isPiece) => Buffer.from(render(lines, clock.wall(), isPiece), encoding);
}

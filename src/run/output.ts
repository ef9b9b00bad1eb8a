// The output of the apps and the messages of nsv itself.
import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import type { AppSpec } from '../config/app-spec.ts';
import { type LineFormat, lineFormatOf, ownFile } from '../config/logs.ts';
import type { RunOptions } from '../config/options/run-fields.ts';
import { createMessages, type Logger } from '../daemon/logger.ts';
import { logFiles } from '../daemon/output/files.ts';
import {
  type FormattedOutput,
  type FormattedProcess,
  type Formatting,
  formattedFiles,
} from '../daemon/output/formatting.ts';
import type { Outlet, Streams } from '../daemon/output/streams.ts';
import { createRenderer, type LineOrigin } from '../logs/line-renderer.ts';
import { FormatterLines, type TakeLines } from '../logs/line-splitter.ts';
import { LogTargets, writeFailuresTo } from '../logs/log-targets.ts';
import type { Clock } from '../shared/clock.ts';
import { detailOf } from '../shared/errors.ts';
import { standardDescriptor } from '../shared/log-file.ts';
import { inWords } from './in-words.ts';
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
  const isRead = !json && isatty(2);
  const logger = createMessages((line) => writers.stderr.write(isRead ? inWords(line) : line), logLevel);
  const open = new Set<Promise<void>>();
  const formatting = new RunFormatting(clock, logger, track);

  function track(passed: Promise<void>): void {
    open.add(passed);
    // Never rejects.
    void passed.then(() => open.delete(passed));
  }

  /** `descriptor`: of nsv, where the output goes. */
  function outlet(stream: 'out' | 'err', descriptor: 1 | 2, spec: AppSpec, slot: number): Outlet {
    const writer = descriptor === 1 ? writers.stdout : writers.stderr;
    const format = lineFormatOf(spec);
    if (!json && !format) return descriptor;
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
      const place = (stream: 'out' | 'err', given: string | undefined, usual: 1 | 2, file: string): Outlet => {
        const wanted = ownFile(given, spec) ?? spec.logFile;
        const descriptor = wanted === undefined ? usual : standardDescriptor(wanted);
        return descriptor === undefined ? file : outlet(stream, descriptor, spec, slot);
      };
      return {
        ...named,
        outFile: place('out', spec.outFile, 1, named.outFile),
        errorFile: place('err', spec.errorFile, 2, named.errorFile),
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

/** Formatted lines in files. Nothing outlives `nsv run`, so it reads the output of the apps itself. */
class RunFormatting {
  readonly #clock: Clock;
  readonly #targets: LogTargets;
  readonly #passed: (lines: Promise<void>) => void;

  /** `passed` is given what resolves when all lines of a stream are in its file. */
  constructor(clock: Clock, logger: Logger, passed: (lines: Promise<void>) => void) {
    this.#clock = clock;
    this.#passed = passed;
    this.#targets = new LogTargets(clock, writeFailuresTo(logger));
  }

  /** Undefined if no stream goes to a file. Throws CANNOT_OPEN_LOG. */
  open(plan: FormattedProcess, format: LineFormat): FormattedOutput | undefined {
    const files = formattedFiles(plan);
    if (!files) return undefined;
    const { out, err, log, theirs } = files;
    const all: Promise<void>[] = [];
    const outlet =
      (level: 'out' | 'err', file: string): Outlet =>
      (output, pid) => {
        const { name: app, cwd, uid, gid } = plan.spec;
        const ownerOf = (each: string) => (theirs.includes(each) ? { uid, gid } : undefined);
        const { target, release } = this.#targets.acquire(file, log, cwd, ownerOf);
        const { encoding, render } = createRenderer(format, { app, slot: plan.slot, pid, level });
        const take = (lines: Buffer, isPiece: boolean) =>
          target.write(render(lines, this.#clock.wall(), isPiece), encoding);
        const passed = passLines(output, take, target)
          .then(() => target.written())
          .then(release);
        all.push(passed);
        this.#passed(passed);
      };
    return {
      outFile: out === null ? plan.outFile : outlet('out', out),
      errorFile: err === null ? plan.errorFile : outlet('err', err),
      begin() {},
      end: () => allPassed(all, this.#clock),
      abandon() {},
    };
  }
}

/** Where the lines go. */
interface Sink {
  /** The reader is gone: what is written is dropped. A file has none. */
  readonly isClosed?: boolean;
  readonly isFull: boolean;
  drained(): Promise<void>;
}

/** Milliseconds to read the last output of exited processes: others may have inherited the pipe and hold it open. */
const timeout = 500;

/** Resolves when all these streams are passed on, or will not be. */
async function allPassed(streams: Iterable<Promise<void>>, clock: Clock): Promise<void> {
  let cancel = () => {};
  const isOver = new Promise<void>((resolve) => {
    cancel = clock.after(timeout, resolve);
  });
  await Promise.race([Promise.all(streams), isOver]);
  cancel();
}

/**
 * Resolves when the stream has ended; adds a missing final newline. If the reader of the output is gone, closes the
 * stream too, so that the program gets the EPIPE or SIGPIPE that it would get by writing there directly.
 */
export function passLines(stream: Readable, take: TakeLines, sink: Sink): Promise<void> {
  const splitter = new FormatterLines(take);
  stream.on('data', (chunk: Buffer) => {
    splitter.take(chunk);
    if (sink.isClosed) stream.destroy();
    if (!sink.isFull) return;
    stream.pause();
    // Never rejects.
    void sink.drained().then(() => stream.resume());
  });
  return new Promise((resolve) => {
    stream.on('error', () => {});
    stream.on('close', () => {
      if (!sink.isClosed) splitter.finish();
      resolve();
    });
  });
}

// Formatted output: under the detached daemon it goes to FIFOs, which the formatter reads.
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { inFileName } from '../../config/app-name.ts';
import type { LineFormat } from '../../config/logs.ts';
import { fifoName, type Source, type SourceOwner } from '../../ipc/formatter-messages.ts';
import { openLog } from '../../shared/log-file.ts';
import type { FormatterLine } from './formatter-line.ts';
import { fileOf, type Outlet, type Streams } from './streams.ts';

/** Provides FIFOs. */
export interface Fifos {
  take(name: string): string;
}

/** A process whose output is formatted. */
export interface FormattedProcess extends Pick<Streams, 'outFile' | 'errorFile' | 'logFile' | 'isUserFile'> {
  readonly spec: { readonly name: string; readonly cwd: string } & SourceOwner;
  readonly slot: number;
}

/** The channel from a process to the formatter. */
export interface FormattedOutput extends Pick<Streams, 'outFile' | 'errorFile'> {
  /** The process has started. */
  begin(pid: number): void;
  /** The process has exited. Resolves when its output is in the logs, without waiting for a slow disk. */
  end(): Promise<void>;
  /** The process could not be started. */
  abandon(): void;
}

/** Milliseconds for the last lines of a process to be written before its exit is reported. */
const timeout = 500;

/**
 * The files that get formatted lines; undefined if there are none. `out` and `err`: null if the stream is not formatted. `log` gets the
 * lines of both, too. `theirs`: those that the user of the app has to open. Throws CANNOT_OPEN_LOG.
 */
export function formattedFiles({ outFile, errorFile, logFile: log, isUserFile }: FormattedProcess) {
  const [out, err] = [touched(outFile), touched(errorFile)];
  if (out === null && err === null) return undefined;
  const files = [...new Set([out, err, log ?? null])].filter((file) => file !== null);
  const theirs = files.filter((file) => isUserFile?.(file));
  // They are opened later, but errors should be reported now. The user of the app reports its own.
  for (const file of files) if (!theirs.includes(file)) closeSync(openLog(file));
  return { out, err, ...(log !== undefined && { log }), theirs };
}

export class Formatting {
  readonly #fifos: Fifos;
  readonly #line: FormatterLine;
  /**
   * Makes FIFO names unique: an orphan may still write to a FIFO while a later process has the same name and slot, also under a later
   * daemon of this home, which starts at another time. Not random, because Node would load its cryptography whenever a daemon boots.
   */
  readonly #mark = process.hrtime.bigint().toString(36);
  #count = 0;

  constructor(fifos: Fifos, line: FormatterLine) {
    this.#fifos = fifos;
    this.#line = line;
  }

  /** Undefined if the output is discarded. Throws CANNOT_OPEN_LOG. */
  open(plan: FormattedProcess, format: LineFormat): FormattedOutput | undefined {
    const { spec, slot } = plan;
    const formatted = formattedFiles(plan);
    if (!formatted) return undefined;
    const { out, err, theirs, ...more } = formatted;
    this.#count += 1;
    const id = `${inFileName(spec.name)}-${slot}-${this.#mark}-${this.#count}`;
    // With the same file and format for both streams, a single FIFO keeps the order of the lines.
    const isOne = out !== null && out === err && !format.json;
    const { name: app, cwd, uid, gid } = spec;
    const owned = theirs.length > 0 ? { theirs, owner: { uid, gid } } : {};
    const source = { id, app, cwd, slot, format, out, err: isOne ? null : err, ...more, ...owned };
    const pipes = new Pipes(this.#fifos, source);
    return {
      outFile: pipes.out ?? plan.outFile,
      errorFile: pipes.err ?? (isOne ? pipes.out! : plan.errorFile),
      begin: (pid) => this.#line.read({ ...source, pid }, pipes.descriptors),
      end: () => this.#line.finish(id, timeout),
      abandon: () => pipes.remove(),
    };
  }
}

/** The FIFOs of one process, held open. */
class Pipes {
  readonly #opened = new Map<string, number>();
  readonly out: number | undefined;
  readonly err: number | undefined;

  constructor(fifos: Fifos, { id, out, err }: Omit<Source, 'pid'>) {
    try {
      this.out = out === null ? undefined : this.#open(fifos.take(fifoName(id, 'out')));
      this.err = err === null ? undefined : this.#open(fifos.take(fifoName(id, 'err')));
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  get descriptors(): number[] {
    return [...this.#opened.values()];
  }

  remove(): void {
    for (const [file, fd] of this.#opened) {
      closeSync(fd);
      rmSync(file, { force: true });
    }
  }

  /** Opening for reading and writing neither blocks nor ever gets EPIPE. */
  #open(file: string): number {
    const fd = openSync(file, constants.O_RDWR);
    this.#opened.set(file, fd);
    return fd;
  }
}

/** The file that gets formatted lines; null if the outlet is not a file or discards its input. */
function touched(outlet: Outlet): string | null {
  return outlet === '/dev/null' ? null : fileOf(outlet);
}

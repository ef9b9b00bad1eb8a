// Formatted lines in files, under `nsv run`. Nothing outlives it, so it reads the output of the apps itself.
import type { LineFormat } from '../config/logs.ts';
import type { Logger } from '../daemon/logger.ts';
import { type Channel, type FormattedProcess, formattedFiles } from '../daemon/output/formatting.ts';
import type { Outlet } from '../daemon/output/streams.ts';
import { createRenderer } from '../logs/line-renderer.ts';
import { LogTargets, tellLog } from '../logs/log-targets.ts';
import type { Clock } from '../shared/clock.ts';
import { allPassed, passLines } from './lines.ts';

export class RunFormatting {
  readonly #clock: Clock;
  readonly #targets: LogTargets;
  readonly #passed: (lines: Promise<void>) => void;

  /** `passed` is given what resolves when all lines of a stream are in its file. */
  constructor(clock: Clock, logger: Logger, passed: (lines: Promise<void>) => void) {
    this.#clock = clock;
    this.#passed = passed;
    this.#targets = new LogTargets(clock, tellLog(logger));
  }

  /** Undefined if no stream goes to a file. Throws CANNOT_OPEN_LOG. */
  open(plan: FormattedProcess, format: LineFormat): Channel | undefined {
    const files = formattedFiles(plan);
    if (!files) return undefined;
    const { out, err, log, theirs } = files;
    const all: Promise<void>[] = [];
    const outlet =
      (level: 'out' | 'err', file: string): Outlet =>
      (output, pid) => {
        const { uid, gid } = plan.spec;
        const ownerOf = (each: string) => (theirs.includes(each) ? { uid, gid } : undefined);
        const { target, release } = this.#targets.acquire(file, log, ownerOf);
        const { encoding, render } = createRenderer(format, { app: plan.spec.name, slot: plan.slot, pid, level });
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

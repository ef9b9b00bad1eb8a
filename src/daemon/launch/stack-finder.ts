// Has a program look into a blocked process: where does it run?
import { parseStackReport, type ReportedFrame, type StackReport } from '../../client/stacks/report.ts';
import { spawnChild } from '../../os/spawn-child.ts';
import { realClock } from '../../shared/clock.ts';
import { detailOf } from '../../shared/errors.ts';
import { bounded } from '../../shared/promises.ts';

export interface FoundStack {
  /** Empty if there is none; then `problem` says why. Innermost call first. */
  stack: ReportedFrame[];
  /** The first call of the app, by its source map. */
  at: string;
  problem: string;
}

/** Milliseconds. The program itself gives up sooner. */
const timeout = 20_000;
/** Programs at the same time: all processes of an app may be blocked by the same cause. */
const mostPrograms = 2;
/** Characters. */
const longestReport = 512 * 1024;

/** A process to look into, or a stack, as JSON, that is to be read. */
export type Job = { pid: number; startTime: number } | { stack: string };

/**
 * `signalled`: the process has been told to open its inspector, when its error log had this length. It has to close it again
 * (the question `detach`). Never rejects.
 */
export const findStack = bounded(mostPrograms, run);

function run(program: string, job: Job, signalled: (from: number) => void): Promise<FoundStack> {
  return new Promise((resolve) => {
    const none = (problem: string) => resolve({ stack: [], at: '', problem });
    const words = 'stack' in job ? [job.stack] : [String(job.pid), String(job.startTime)];
    const child = spawnChild(process.execPath, [program, ...words], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const cancel = realClock.after(timeout, () => child.kill('SIGKILL'));
    let text = '';
    const onReport = (report: StackReport) => {
      if (report.type === 'signalled') signalled(report.from);
      if (report.type === 'stack') resolve({ stack: report.frames, at: report.at, problem: '' });
      if (report.type === 'none') none(report.problem);
    };
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      const lines = (text + part).split('\n');
      text = lines.pop()!;
      try {
        for (const line of lines) onReport(parseStackReport(JSON.parse(line), 'report'));
        if (text.length > longestReport) throw new TypeError('it reports too much');
      } catch (error) {
        none(detailOf(error));
        child.kill('SIGKILL');
      }
    });
    child.on('error', (error) => none(detailOf(error)));
    child.on('close', () => {
      cancel();
      none('the program that looks for it has ended');
    });
  });
}

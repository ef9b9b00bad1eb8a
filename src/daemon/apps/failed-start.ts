// What a user is told about a start that has failed: the cause first, then the error, how often, and what helps.
import { type DeathFrame, describeCause } from '../../ipc/records/deaths.ts';
import { isOwnCode } from '../../shared/code/own-code.ts';
import { type ErrorCode, failure } from '../../shared/errors.ts';
import { renderDuration } from '../../shared/units.ts';
import { ErrorOutput } from '../output/error-output.ts';
import type { LastDeath } from '../process/death/death.ts';
import type { FailedOutcome } from '../slot/start-outcome.ts';
import type { Group } from './group.ts';

const mostCalls = 3;

export interface FailedStart {
  /** One line. */
  reason: string;
  /** What the app has printed, unless that is an error whose calls are in the details. */
  output: string[];
  /** One line each. Calls are as in a stack, so that a client can map them to the sources. */
  details: string[];
  /** `<name>` stands for the app. */
  hint: string;
}

interface Facts {
  outcome: FailedOutcome;
  /** The last death since the start; null if none is known, or if the process has not ended. */
  death: LastDeath | null;
  /** What the processes have printed since the start. */
  printed: string[];
}

export function failedStart({ outcome, death, printed }: Facts): FailedStart {
  const { reason, ended, sequel } = outcome;
  const { hint = 'run "nsv logs <name>" to see its output' } = outcome;
  if (!ended || !death) return { reason, output: printed, details: [], hint };
  if (sequel === 'finished') return { reason, output: death.output, details: [], hint };
  const { headline } = death;
  const cause = describeCause(death);
  const error = headline === null || cause.endsWith(headline) ? [] : [headline];
  const own = death.frames.filter(({ file }) => isOwnCode(file));
  return {
    reason: cause,
    output: isInOutput(death) ? [] : death.output,
    details: [...error, ...own.slice(0, mostCalls).map(callText), ...unreported(death), ...often(death, sequel)],
    hint: helps(death),
  };
}

/** Whether the first line has all that the process has printed. */
function isInOutput({ output, about }: LastDeath): boolean {
  return output.length === 1 && about.endsWith(output[0]!.trim());
}

/** As in a stack. */
function callText({ function: name, file, line, column }: DeathFrame): string {
  const place = [file, line, column].filter((part) => part !== null).join(':');
  return `at ${name === '' ? place : `${name} (${place})`}`;
}

/** An app that handles the error, but does not say so, misleads whoever reads its output. */
function unreported({ cause, headline, exit }: LastDeath): string[] {
  const isSilent = cause === 'listen failed' && headline === null && exit.code === 0;
  return isSilent ? ['the app did not report this error, and exited with code 0'] : [];
}

const verbs: Partial<Record<LastDeath['cause'], string>> = { exit: 'exited', signal: 'was killed', unknown: 'ended' };

function often({ cause, headline, times, at, lastAt }: LastDeath, sequel: FailedOutcome['sequel']): string[] {
  if (times === 1) return sequel === 'restarted' ? ['nsv restarts it'] : [];
  const verb = verbs[cause] ?? (headline === null ? 'exited' : 'crashed');
  const count = `it ${verb} ${times} times in ${renderDuration(Math.max(1, lastAt - at))}`;
  return [`${count}${sequel === 'restarted' ? ', and nsv goes on restarting it' : ''}`];
}

/** The one command that is most likely to help. */
function helps({ cause, headline, output }: LastDeath): string {
  if (cause === 'V8 out of memory')
    return 'give it more memory with --node-args "--max-old-space-size=<megabytes>", or find out what needs it';
  if (cause === 'kernel OOM kill') return 'run "nsv deaths <name>" to see what is known about it';
  if (headline !== null) return 'run "nsv logs <name> --err" to see all that it has printed';
  return output.length > 0
    ? 'run "nsv logs <name>" to see all that it has printed'
    : 'run "nsv show <name>" to see its settings';
}

const lockHint = 'if it cannot run twice at a time, because of a lock for example, use "nsv restart <name>"';

export function startFailure(
  { name }: Group,
  code: Extract<ErrorCode, 'NOT_READY' | 'RELOAD_FAILED'>,
  outcome: FailedOutcome,
  output: PrintedSince,
  death: LastDeath | null = null,
) {
  const { reason, ...more } = failedStart({ outcome, death, printed: output.lines() });
  if (code === 'RELOAD_FAILED' && outcome.ended) more.hint += `; ${lockHint}`;
  return code === 'NOT_READY'
    ? failure(code, { name, reason, isStarted: !outcome.ended }, more)
    : failure(code, { name, reason }, { ...more, cause: new Error(reason) });
}

export type PrintedSince = ReturnType<typeof printedBy>;

/** What the app prints to its error logs from now on or, if that is nothing, to its output. */
export function printedBy(group: Group) {
  const plans = group.processes.map((process) => group.plan(process));
  const errors = new ErrorOutput(plans);
  const output = new ErrorOutput(plans.map((plan) => ({ ...plan, errorFile: plan.outFile })));
  const orOutput = (lines: string[]) => (lines.length > 0 ? lines : output.lines());
  return { lines: () => orOutput(errors.lines()) };
}

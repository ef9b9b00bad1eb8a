// Why a process has ended that nobody has asked to: what it has printed, and what is known besides.
import { stripVTControlCharacters } from 'node:util';
import type { LineFormat } from '../../../config/logs.ts';
import type { DeathCause } from '../../../ipc/records/deaths.ts';
import type { Exit } from '../../../ipc/views.ts';
import { dateFormatter } from '../../../shared/date-format.ts';
import type { Child } from '../../launch/launcher.ts';
import type { ErrorOutput } from '../../output/error-output.ts';
import type { GroupSockets } from '../../sockets/group-sockets.ts';
import type { Host } from '../host.ts';
import { describeListenFailure, type ListenFailure, listenFailureOf } from './listen-failure.ts';
import { errorIn, heapExhaustedIn, type PrintedError } from './printed-error.ts';

/** Lines of a log in which an error is looked for: V8's last words are followed by a stack of machine code. */
const searched = 200;
const shown = 15;

/** V8 aborts. A shell that ran the program adds 128 to the number of the signal. */
const abortCodes = [134];

interface Logs {
  child: Child;
  /** What it has printed to its error log, and to its output. */
  errors: ErrorOutput;
  output: ErrorOutput;
}

export interface LastWords {
  heap: string | undefined;
  error: PrintedError | undefined;
  /** The last lines of its errors or, if there are none, of its output. */
  output: string[];
}

export interface EndCause {
  cause: DeathCause;
  certain: boolean;
  /** The evidence, if it is not what the process has printed. */
  detail: string | null;
  /** Whether another app of this daemon has what it needs, or its user may not have it. */
  isLasting?: boolean;
}

/** `unloadable`: the error of a program that could not be loaded. Only this is known of output that `nsv run` passes through. */
export function lastWordsOf({ child, errors, output }: Logs, unloadable: string | undefined, wall: number): LastWords {
  const { slot, spec, format } = child.plan;
  const plain = (lines: string[]) => plainLines(lines, format, { app: spec.name, slot, wall });
  const lines = plain(errors.lines(searched));
  const heap = heapExhaustedIn(lines);
  const known = (headline = unloadable) =>
    headline === undefined ? undefined : { headline, frames: [], isFatal: true };
  const error = heap === undefined ? (errorIn(lines) ?? known()) : known(heap);
  return { heap, error, output: lines.length > 0 ? lines.slice(-shown) : plain(output.lines()) };
}

type Machine = Pick<Host, 'clock' | 'oomKills' | 'portHolders'>;

/** Asks the machine what it knows, so it is called once for each process. */
export function endingOf(
  exit: Exit,
  child: Child,
  lastWords: LastWords,
  sockets: Pick<GroupSockets, 'refusalOf' | 'holderOf'>,
  { clock, oomKills, portHolders }: Machine,
): EndCause {
  const failure = listenFailureOf(lastWords.error, sockets.refusalOf(child), clock.now());
  const cause = causeOf(exit, { ...lastWords, failure }, () => oomKills.explain(child));
  if (!failure || cause.cause !== 'listen failed') return { ...cause, detail: null };
  const { address, code, holder = sockets.holderOf(address) } = failure;
  const isOther = code === 'EADDRINUSE' && holder !== undefined && holder !== child.plan.spec.name;
  return { ...cause, detail: describeListenFailure(failure, holderText()), isLasting: isOther || code === 'EACCES' };

  function holderText(): string | undefined {
    if (code !== 'EADDRINUSE') return undefined;
    if (holder !== undefined) return isOther ? `app "${holder}"` : 'another process of this app';
    return address.transport === 'unix' ? undefined : portHolders.of(address);
  }
}

/** The cause of an end that nobody has asked for. `explain` is called for a SIGKILL only. */
export function causeOf(
  { code, signal }: Exit,
  lastWords: { heap: string | undefined; error: PrintedError | undefined; failure?: ListenFailure | undefined },
  explain: () => 'certain' | 'probable' | undefined,
): Omit<EndCause, 'detail'> {
  const certain = true;
  const isUnknown = code === null && signal === null;
  const isAborted = signal === 'SIGABRT' || signal === 'SIGTRAP' || abortCodes.includes(code ?? 0);
  if (lastWords.heap !== undefined && (isAborted || isUnknown)) return { cause: 'V8 out of memory', certain };
  if (signal === 'SIGKILL') {
    const kernel = explain();
    return kernel ? { cause: 'kernel OOM kill', certain: kernel === 'certain' } : { cause: 'signal', certain };
  }
  if (signal !== null) return { cause: 'signal', certain };
  if (lastWords.failure) return { cause: 'listen failed', certain };
  if (lastWords.error?.isFatal && code !== 0) return { cause: 'uncaught error', certain };
  return { cause: isUnknown ? 'unknown' : 'exit', certain };
}

/**
 * What was printed, out of a log whose lines have a time or a prefix, or are JSON, without colours. `format`: undefined if lines are
 * logged as printed. `wall`: about when, in milliseconds since 1970.
 */
export function plainLines(
  lines: readonly string[],
  format: LineFormat | undefined,
  { app, slot, wall }: { app: string; slot: number; wall: number },
): string[] {
  if (!format) return lines.map(stripVTControlCharacters);
  const name = format.prefix ? `${app}|${slot} | ` : '';
  const head = `${format.date === null ? '' : `${dateFormatter(format.date)(wall)}: `}${name}`;
  const plain = format.json ? messageOf : (line: string) => withoutHead(line, head, name);
  return lines.map((line) => stripVTControlCharacters(plain(line))).filter((line) => line.trim() !== '');
}

/** Most dates of a format are equally long. If this one is not, the line stays as it is, unless it has the name too. */
function withoutHead(line: string, head: string, name: string): string {
  const tail = name === '' ? ': ' : name;
  if (head === '') return line;
  if (line.slice(0, head.length).endsWith(tail) || line.trimEnd() === head.trimEnd()) return line.slice(head.length);
  const at = name === '' ? -1 : line.indexOf(name);
  return at < 0 ? line : line.slice(at + name.length);
}

function messageOf(line: string): string {
  try {
    const { message } = JSON.parse(line) as { message?: unknown };
    return typeof message === 'string' ? message : line;
  } catch {
    return line;
  }
}

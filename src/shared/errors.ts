// All errors that users can get: what happened, what to do next, and the exit code of the command.
import { apps } from './catalogue/apps.ts';
import { home } from './catalogue/home.ts';
import { requests } from './catalogue/requests.ts';
import { errnoOf } from './errno.ts';
import { shellWord } from './shell-word.ts';

type Catalogue = typeof requests & typeof apps & typeof home;
export type ErrorCode = keyof Catalogue;
type ParamsOf<C extends ErrorCode> = Parameters<Catalogue[C]['message']>[0];

let joined: Catalogue | undefined;

/** Joined only at the first error, because it takes 20 KB and most commands have none. */
export function catalogue(): Catalogue {
  joined ??= { ...requests, ...apps, ...home };
  return joined;
}

/**
 * An error in plain data, the same on both sides of the socket. `output`: the last lines an app printed. `details`: one
 * line each, for what does not fit into the message.
 */
export interface Failure {
  code: ErrorCode;
  message: string;
  hint: string;
  output?: string[];
  details?: string[];
}

export class NsvError extends Error implements Failure {
  override readonly name = 'NsvError';
  readonly code: ErrorCode;
  readonly hint: string;
  declare readonly output?: string[];
  declare readonly details?: string[];

  constructor({ code, message, hint, output, details }: Failure, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.hint = hint;
    if (output) this.output = output;
    if (details) this.details = details;
  }

  get exitCode(): number {
    return catalogue()[this.code].exitCode;
  }

  toJSON(): Failure {
    const { code, message, hint, output, details } = this;
    return { code, message, hint, ...(output && { output }), ...(details && { details }) };
  }
}

/** Creates an error from a row of the catalogue. */
export function failure<C extends ErrorCode>(code: C, params: ParamsOf<C>, extra: FailureExtra = {}): NsvError {
  const { message, hint } = catalogue()[code];
  const { output, details, cause, hint: own } = extra;
  const text = (message as (p: ParamsOf<C>) => string)(params);
  return new NsvError(
    { code, message: text, hint: hintFor(own ?? hint, params), ...(output && { output }), ...(details && { details }) },
    cause === undefined ? {} : { cause },
  );
}

/** A hint names what the message does: `<name>` stands for that parameter, as a word for a shell. */
function hintFor(hint: string, params: object): string {
  return hint.replaceAll(/<(\w+)>/g, (whole, key: string) => {
    const value = (params as Record<string, unknown>)[key];
    return typeof value === 'string' ? shellWord(value) : whole;
  });
}

interface FailureExtra {
  output?: string[];
  details?: string[];
  /** What to do, if more is known than the catalogue says. */
  hint?: string;
  cause?: unknown;
}

/** What the system refuses for lack of something, or of permission: errno(3). */
const refusals = ['EACCES', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS'];

/** What nobody has foreseen: a bug of nsv, unless the system says that it lacks something. */
export function unforeseen(cause: unknown): NsvError {
  const isRefusal = refusals.includes(errnoOf(cause) ?? '');
  return failure(isRefusal ? 'SYSTEM_REFUSED' : 'INTERNAL', { detail: detailOf(cause) }, { cause });
}

/** Whether this is an NsvError with one of these codes, whether local or sent by the daemon. */
export function isFailure(error: unknown, ...codes: ErrorCode[]): error is NsvError {
  return error instanceof NsvError && codes.includes(error.code);
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(catalogue(), value);
}

/** The message of any thrown value, in one line. */
export function detailOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

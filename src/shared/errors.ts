// Every failure a user can meet: what happened, what to do next, and the exit code of the command that meets it.

interface Row {
  exitCode: number;
  // biome-ignore lint/suspicious/noExplicitAny: each row types its own parameters; `failure` recovers them.
  message: (params: any) => string;
  hint: string;
}

export const catalogue = {
  BAD_USAGE: {
    exitCode: 2,
    message: (p: { detail: string }) => p.detail,
    hint: 'run "nsv --help" to see the commands and their options',
  },
  BAD_OPTION: {
    exitCode: 2,
    message: (p: { problems: string[] }) => `cannot use these options: ${p.problems.join('; ')}`,
    hint: 'run the command with --help to see what each option takes',
  },
  NO_SUCH_APP: {
    exitCode: 3,
    message: (p: { target: string }) => `cannot find an app matching "${p.target}"`,
    hint: 'run "nsv list" to see the names in use',
  },
  NO_SUCH_SCRIPT: {
    exitCode: 3,
    message: (p: { script: string }) => `cannot find "${p.script}": no such file, program on the PATH, or app`,
    hint: 'check the path, or run "nsv list" to see the names in use',
  },
  NO_SUCH_INTERPRETER: {
    exitCode: 3,
    message: (p: { interpreter: string; script: string }) =>
      `cannot find the interpreter "${p.interpreter}" for "${p.script}"`,
    hint: 'install it, or name another one with --interpreter',
  },
  NO_SUCH_DIRECTORY: {
    exitCode: 3,
    message: (p: { directory: string }) => `cannot use "${p.directory}" as working directory: it is not a directory`,
    hint: 'create it, or name another one with --cwd',
  },
  BAD_CONFIG: {
    exitCode: 2,
    message: (p: { file: string; mistakes: number }) =>
      `cannot use the config file ${p.file}: it has ${p.mistakes === 1 ? 'a mistake' : `${p.mistakes} mistakes`}; nothing was done`,
    hint: 'correct it; docs/config-file.md has all keys with what they take',
  },
  NO_CONFIG: {
    exitCode: 3,
    message: (p: { directory: string }) => `cannot find a config file in ${p.directory}`,
    hint: 'name one, or call it nsv.config.js (.ts, .mjs, .cjs, .json, .yaml) or ecosystem.config.js',
  },
  CANNOT_STRIP_TYPES: {
    exitCode: 3,
    message: (p: { script: string; version: string }) =>
      `cannot run "${p.script}": Node ${p.version} does not run TypeScript by itself`,
    hint: 'install tsx and add --node-args "--import tsx", or use Node 22.18 or newer',
  },
  ALREADY_RUNNING: {
    exitCode: 5,
    message: (p: { name: string }) => `cannot start "${p.name}": an app of that name is already running`,
    hint: 'use "nsv restart", "nsv reload" or "nsv scale" on it, another --name, or --force to replace it',
  },
  NOT_READY: {
    exitCode: 6,
    message: (p: { name: string; reason: string }) => `cannot say that "${p.name}" is ready: ${p.reason}`,
    hint: 'run "nsv logs" for its output and "nsv show" for its settings',
  },
  RELOAD_FAILED: {
    exitCode: 6,
    message: (p: { name: string; reason: string }) =>
      `cannot reload "${p.name}": ${p.reason}; the processes that were not replaced go on serving`,
    hint: 'run "nsv logs" for the output of the new version',
  },
  INTERRUPTED: {
    exitCode: 6,
    message: (p: { name: string; by: string }) => `cannot finish the command on "${p.name}": it was ended by "${p.by}"`,
    hint: 'run "nsv list" to see its state',
  },
  HOOK_FAILED: {
    exitCode: 6,
    message: (p: { name: string; command: string; detail: string }) =>
      `cannot start "${p.name}": its pre_start "${p.command}" ended with ${p.detail}`,
    hint: 'see above what it printed; what ran before goes on',
  },
  CANNOT_SPAWN: {
    exitCode: 6,
    message: (p: { program: string; detail: string }) => `cannot execute "${p.program}": ${p.detail}`,
    hint: 'check that the file exists, is executable, and that the daemon may run it',
  },
  PROGRAM_MISSING: {
    exitCode: 127,
    message: (p: { program: string }) => `cannot execute "${p.program}": no such file or program on the PATH`,
    hint: 'check the path, and that the image contains it',
  },
  PROGRAM_UNEXECUTABLE: {
    exitCode: 126,
    message: (p: { program: string; detail: string }) => `cannot execute "${p.program}": ${p.detail}`,
    hint: 'check its permissions and its first line, or name a program that runs it with --interpreter',
  },
  CANNOT_OPEN_LOG: {
    exitCode: 6,
    message: (p: { file: string; detail: string }) => `cannot open the log file "${p.file}": ${p.detail}`,
    hint: 'check the directory and its permissions, or name another file with --output and --error',
  },
  CANNOT_ROTATE: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `cannot rotate the log file "${p.file}": ${p.detail}`,
    hint: 'it is as it was, and the app goes on writing to it; check the free space and the permissions of its directory',
  },
  CANNOT_REOPEN: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `cannot reopen the log file "${p.file}": ${p.detail}`,
    hint: 'run "nsv reload" (or "nsv restart") on the app: its new processes open a new file',
  },
  NO_LOGS: {
    exitCode: 7,
    message: (p: { name: string; reason: string }) => `cannot find logs of "${p.name}": ${p.reason}`,
    hint: 'to keep logs, start it with files for --output and --error, or without --disable-logs',
  },
  CANNOT_LISTEN: {
    exitCode: 6,
    message: (p: { address: string; detail: string }) => `cannot listen on ${p.address}: ${p.detail}`,
    hint: 'stop what uses the address, or choose another one',
  },
  UNSUPPORTED: {
    exitCode: 7,
    message: (p: { what: string; reason: string }) => `cannot use ${p.what}: ${p.reason}`,
    hint: 'see "What it does not do" in the README',
  },
  PM2_ONLY: {
    exitCode: 7,
    message: (p: { what: string; instead: string }) => `cannot run "${p.what}": ${p.instead}`,
    hint: 'see docs/from-pm2.md for what is different from PM2, and why',
  },
  NO_INPUT: {
    exitCode: 7,
    message: (p: { name: string; reason: string }) => `cannot send to "${p.name}": ${p.reason}`,
    hint: 'delete it and start it with --stdin pipe, which gives it an input that can be written to',
  },
  NO_REPLY: {
    exitCode: 7,
    message: (p: { name: string; reason: string }) => `cannot get an answer from "${p.name}": ${p.reason}`,
    hint: 'see "nsv trigger --help" for how an app answers',
  },
  CANNOT_IMPORT: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `cannot import from ${p.file}: ${p.detail}`,
    hint: 'run "pm2 save" first, name the dump file, or pipe "pm2 jlist" into "nsv import-pm2 -"',
  },
  FILE_EXISTS: {
    exitCode: 8,
    message: (p: { file: string }) => `cannot write ${p.file}: it is there already`,
    hint: 'name another file with --output, or use --force to overwrite it',
  },
  SAVED_FILE_CORRUPT: {
    exitCode: 8,
    message: (p: { file: string; kept: string; detail: string }) =>
      `cannot read the saved list ${p.file}: ${p.detail}; it was kept as ${p.kept}`,
    hint: 'mend the kept file and put it back, or start the apps and run "nsv save"',
  },
  NOTHING_SAVED: {
    exitCode: 8,
    message: (p: { file: string }) => `cannot resurrect: there is no saved list at ${p.file}`,
    hint: 'run "nsv save" while your apps are running',
  },
  CANNOT_WRITE: {
    exitCode: 8,
    message: (p: { file: string; detail: string }) => `cannot write ${p.file}: ${p.detail}`,
    hint: 'check the free space and the permissions of the nsv home',
  },
  DAEMON_NOT_RUNNING: {
    exitCode: 4,
    message: (p: { home: string }) => `cannot reach a daemon: none is running for ${p.home}`,
    hint: 'run "nsv start <file>" to launch one, or set NSV_HOME to the home you mean',
  },
  DAEMON_UNREACHABLE: {
    exitCode: 4,
    message: (p: { socket: string; detail: string }) => `cannot reach the daemon at ${p.socket}: ${p.detail}`,
    hint: 'see daemon.log in the nsv home',
  },
  DAEMON_SILENT: {
    exitCode: 4,
    message: (p: { method: string; seconds: number }) =>
      `cannot finish "${p.method}": the daemon has said nothing for ${p.seconds} s`,
    hint: 'it may be stopped or overloaded; "nsv ping" asks again, daemon.log in the nsv home may say more',
  },
  DAEMON_FAILED: {
    exitCode: 4,
    message: (p: { detail: string }) => `cannot launch the daemon: ${p.detail}`,
    hint: 'see daemon-start.log and daemon.log in the nsv home',
  },
  HOME_TAKEN: {
    exitCode: 4,
    message: (p: { home: string }) => `cannot run here: another daemon serves ${p.home}`,
    hint: 'run "nsv kill" to end that one, or set NSV_HOME to another directory',
  },
  VERSION_MISMATCH: {
    exitCode: 4,
    message: (p: { ours: string; theirs: string }) =>
      `cannot talk to the daemon: it is nsv ${p.theirs} and this command is nsv ${p.ours}`,
    hint: 'run "nsv kill" with the version that launched it, then start again with this one',
  },
  HOME_UNSAFE: {
    exitCode: 4,
    message: (p: { home: string; detail: string }) => `cannot use ${p.home} as nsv home: ${p.detail}`,
    hint: 'it must be a directory of yours that nobody else may write: chmod 700 it, or set NSV_HOME to another',
  },
  BAD_REQUEST: {
    exitCode: 70,
    message: (p: { detail: string }) => `cannot understand the request: ${p.detail}`,
    hint: 'see docs/protocol.md for the methods and their parameters',
  },
  INTERNAL: {
    exitCode: 70,
    message: (p: { detail: string }) => `cannot go on: ${p.detail}`,
    hint: 'this is a mistake in nsv; please report it with daemon.log from the nsv home',
  },
} satisfies Record<string, Row>;

export type ErrorCode = keyof typeof catalogue;
type ParamsOf<C extends ErrorCode> = Parameters<(typeof catalogue)[C]['message']>[0];

/**
 * The same fields on every side of the socket. `output` carries the last lines an app printed, `details` what the message
 * has no room for, one line each.
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
  readonly output?: string[];
  readonly details?: string[];

  constructor({ code, message, hint, output, details }: Failure, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.hint = hint;
    if (output) this.output = output;
    if (details) this.details = details;
  }

  get exitCode(): number {
    return catalogue[this.code].exitCode;
  }

  toJSON(): Failure {
    const { code, message, hint, output, details } = this;
    return { code, message, hint, ...(output && { output }), ...(details && { details }) };
  }
}

/** Builds the error of one row of the catalogue. */
export function failure<C extends ErrorCode>(code: C, params: ParamsOf<C>, extra: FailureExtra = {}): NsvError {
  const { message, hint } = catalogue[code];
  const { output, details, cause } = extra;
  const text = (message as (p: ParamsOf<C>) => string)(params);
  return new NsvError({ code, message: text, hint, ...(output && { output }), ...(details && { details }) }, { cause });
}

interface FailureExtra {
  output?: string[];
  details?: string[];
  cause?: unknown;
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(catalogue, value);
}

/** What any thrown value has to say, in one line. */
export function detailOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// The command line: runs one command, reports errors, and sets the exit code.
import { detailOf, failure, NsvError, unforeseen } from '../shared/errors.ts';
import { createContext, type LiveContext } from './context.ts';
import { entries } from './entries.ts';
import { runProgram } from './program.ts';

/** The exit code that shells use for a program ended by SIGINT. */
const interruptedCode = 130;

const argv = process.argv.slice(2);
const dashes = argv.indexOf('--');
const own = argv.slice(0, dashes < 0 ? argv.length : dashes);
const isJson = own.includes('--json');
/** When called as PM2, commands exit with 0 or 1 and can be silenced. */
const isPm2 = own[0] === 'pm2';
const isMute = isPm2 && (own.includes('--silent') || own.includes('-s'));

/** Runs the command of this process. `finished` is called when it has succeeded and its output is written, before the process exits. */
export function runCommandLine(finished: () => void): void {
  const program = { commands: entries, run: runProgram };
  const context = createContext(process, program, isJson, (error) => outputClosed(error, context));
  process.on('SIGINT', () => interrupted(context));
  process.on('uncaughtException', (error) => {
    // A daemon loaded by a command (`nsv run`, `nsv daemon`) handles errors itself.
    if (process.listenerCount('uncaughtException') === 1) fail(error, context);
  });
  run(context).then(
    () => leave(context, finished),
    (error) => withSources(error).then((known) => fail(known, context)),
  );
}

async function run(context: LiveContext): Promise<void> {
  if (process.platform === 'win32') {
    throw failure('UNSUPPORTED', { what: 'nsv on Windows', reason: 'it needs Unix sockets, signals and sessions' });
  }
  await runProgram(argv, context);
}

/** Maps the calls in an error of an app to the sources. */
async function withSources(error: unknown): Promise<unknown> {
  if (!(error instanceof NsvError) || !error.details?.some((line) => line.startsWith('at '))) return error;
  return (await import('./lazy-commands.ts')).mappedFailure(error);
}

/** With `nsv list | head -1`, the reader closes the pipe early, which is not an error; a full disk is one. */
function outputClosed(error: NodeJS.ErrnoException, context: LiveContext): void {
  if (error.code === 'EPIPE') process.exit();
  fail(failure('CANNOT_PRINT', { detail: detailOf(error) }, { cause: error }), context);
}

/** Exits at once unless output is pending: a regular shutdown of Node would cost `nsv list` another millisecond. */
function leave(context: LiveContext, finished: () => void): void {
  context.disconnect();
  // The error event would come too late, after the exit.
  if (process.stdout.errored) {
    outputClosed(process.stdout.errored, context);
    return;
  }
  finished();
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
}

/** Exits as soon as the error is written: a daemon that does not answer must not delay the command. */
function fail(error: unknown, { out, disconnect }: LiveContext): void {
  disconnect();
  const known = error instanceof NsvError ? error : unforeseen(error);
  const exit = () => {
    if (known.code === 'INTERNAL' && !out.json && error instanceof Error && error.stack) out.note(error.stack);
    process.exit(isPm2 ? 1 : known.exitCode);
  };
  // What renders it is in another file, and the package may be away since this command was loaded.
  const plainly = () => {
    out.note(`nsv: ${known.message}\n     ${known.hint}`);
    exit();
  };
  if (isMute) exit();
  else out.report(known).then(exit, plainly);
}

function interrupted({ isConnected, disconnect, out }: LiveContext): void {
  disconnect();
  if (isConnected) out.note('nsv: interrupted; the daemon continues with the request');
  process.exit(interruptedCode);
}

// The command line: runs one command, shows what went wrong, and sets the exit code.
import { detailOf, failure, NsvError } from '../shared/errors.ts';
import { withSourceLines } from '../shared/source-lines.ts';
import { createContext, type LiveContext } from './context.ts';
import { runProgram } from './program.ts';
import { renderFailure, renderFailureJson } from './render/failure.ts';

/** What a shell reports for a program that SIGINT ended. */
const interruptedCode = 130;

const argv = process.argv.slice(2);
const dashes = argv.indexOf('--');
const own = argv.slice(0, dashes < 0 ? argv.length : dashes);
const isJson = own.includes('--json');
/** Called as PM2, whose commands end with 0 or 1, and are silent about that too where they are to be. */
const isPm2 = own[0] === 'pm2';
const isMute = isPm2 && (own.includes('--silent') || own.includes('-s'));
const context = createContext(process, isJson, unheard);

process.on('SIGINT', () => interrupted(context));
process.on('uncaughtException', (error) => {
  // A daemon that a command has loaded (`nsv run`, `nsv daemon`) has its own way with errors.
  if (process.listenerCount('uncaughtException') === 1) fail(error, context);
});

run(context).then(
  () => leave(context),
  (error) => fail(error, context),
);

async function run(context: LiveContext): Promise<void> {
  if (process.platform === 'win32') {
    throw failure('UNSUPPORTED', { what: 'nsv on Windows', reason: 'it needs Unix sockets, signals and sessions' });
  }
  await runProgram(argv, context);
}

/** `nsv list | head -1`: whoever read has seen enough, which is no error. A full disk is one. */
function unheard(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  fail(failure('CANNOT_PRINT', { detail: detailOf(error) }, { cause: error }), context);
}

/** At once, unless output waits for its reader: to take Node apart would cost `nsv list` another millisecond. */
function leave({ disconnect }: LiveContext): void {
  disconnect();
  // Told by an event later, when we would be gone.
  if (process.stdout.errored) unheard(process.stdout.errored);
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
}

/** Ends at once: a daemon that does not answer must not hold the command. */
function fail(error: unknown, { out, disconnect }: LiveContext): never {
  disconnect();
  const known = error instanceof NsvError ? error : failure('INTERNAL', { detail: detailOf(error) }, { cause: error });
  if (!isMute) out.note(out.json ? renderFailureJson(known) : renderFailure(known));
  if (known.code === 'INTERNAL' && !out.json && error instanceof Error && error.stack)
    out.note(withSourceLines(error.stack));
  process.exit(isPm2 ? 1 : known.exitCode);
}

function interrupted({ isConnected, disconnect, out }: LiveContext): void {
  disconnect();
  if (isConnected) out.note('nsv: interrupted; the daemon continues with the request');
  process.exit(interruptedCode);
}

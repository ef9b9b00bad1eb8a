// The real context of a command: the terminal, the environment of the shell, and the daemon.
import { readlinkSync } from 'node:fs';
import { describeCaller } from '../client/caller.ts';
import { openSession, reconnectingClient, type SessionOptions, waitForExit } from '../client/session.ts';
import type { Connection } from '../ipc/client.ts';
import type { EventView } from '../ipc/journal/event-views.ts';
import type { Client, Hello } from '../ipc/protocol.ts';
import { givenEnvironment } from '../os/process-1.ts';
import { realClock } from '../shared/clock.ts';
import { failure, isFailure, NsvError } from '../shared/errors.ts';
import { homePaths, inputOfReader } from '../shared/paths.ts';
import { build, version } from '../shared/version.ts';
import type { Context, FollowingStart, Output } from './command.ts';
import { newNotices, rememberNotices } from './notices.ts';
import { createProgress, noProgress, type ProgressLine, terminalOf } from './render/terminal.ts';
import { harmless } from './render/text.ts';
import { onceUnread } from './render/unread-pipe.ts';

const loadLauncher = async () => (await import('./frequent-commands.ts')).launchDaemon;

export interface LiveContext extends Context {
  /** Whether the command is connected to a daemon, which may be working for it. */
  readonly isConnected: boolean;
}

type Broken = (error: NodeJS.ErrnoException) => void;

/** `onBroken` is called when output cannot be written. */
export function createContext(
  process: NodeJS.Process,
  program: Pick<Context, 'commands' | 'run'>,
  json: boolean,
  onBroken: Broken,
): LiveContext {
  let progress = noProgress;
  let session: Connection | undefined;
  let client: Client | undefined;
  let onEvent: ((event: EventView) => void) | undefined;
  let begin: ((start: FollowingStart) => void) | undefined;
  let text = () => 'nsv';
  const env = givenEnvironment();
  const out = outputOf(process, json, onBroken, {
    show: (text) => progress.show(text),
    clear: () => progress.clear(),
  });

  async function reach(options: Omit<SessionOptions, 'loadLauncher'>): Promise<Connection> {
    const reached = await openSession({ ...options, loadLauncher, onWait: (text) => progress.show(text) });
    reached.onProgress(({ text }, isLasting) => {
      // While following events, the command is not waiting for anything.
      if (isLasting || !onEvent) out.progress(text, isLasting);
    });
    reached.onEvent((event) => onEvent?.(event));
    reached.onFollowing((end) => begin?.({ daemon: reached.hello.pid, end }));
    introduced(reached);
    session = reached;
    return reached;
  }

  function introduced(connection: Connection): Connection {
    connection.introduce(() => describeCaller(env, text()));
    return connection;
  }

  return {
    out,
    ...program,
    printNotices({ file, shown }, notices) {
      const paths = homePaths();
      const fresh = file === undefined ? notices : newNotices(paths, file, notices);
      for (const notice of fresh) out.note(`nsv: ${shown}: ${notice}`);
      // At the end, because the first command creates the home.
      if (file !== undefined && fresh.length > 0) process.once('exit', () => rememberNotices(paths, file, notices));
    },
    introduce(command) {
      text = command;
    },
    get cwd() {
      return currentDirectory();
    },
    env,
    input: () => process.stdin.setEncoding('utf8'),
    get isConnected() {
      return session !== undefined;
    },
    async connect({ launch, anyVersion = false, isUpdate = false } = { launch: false }) {
      if (client) return client;
      const { tty, isPlain } = terminalOf(process.stderr, process.env);
      if (tty && !isPlain && !json) progress = createProgress(process.stderr, realClock);
      const first = await reach({ launch, anyVersion, isUpdate });
      if (!anyVersion) noteVersions(first.hello, out);
      client = reconnectingClient(first.client, async () => (await reach({ launch: false, anyVersion })).client);
      return client;
    },
    async follow(targets, listener, begun) {
      onEvent = listener;
      begin = begun;
      const following = (await this.connect()).follow({ targets, ...(begun && { journal: true }) });
      await following.catch((error) => {
        // The daemon has handed over, and its successor has ended before this command could connect.
        if (!isFailure(error, 'DAEMON_NOT_RUNNING')) throw error;
      });
    },
    open: async () => introduced(await openSession({ launch: false, loadLauncher })),
    ask(question) {
      return inPassing(() => this.open(), question);
    },
    async daemonExited() {
      if (session) await waitForExit(session);
    },
    disconnect() {
      progress.clear();
      session?.close();
      session = undefined;
    },
  };
}

/**
 * A directory that was removed has no path: for example, the shell may still be in a deleted release. Most commands do
 * not need it; the others report a path they cannot use, which Linux shows as "/srv/release-1 (deleted)".
 */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    try {
      return readlinkSync('/proc/self/cwd');
    } catch {
      throw failure('NO_SUCH_DIRECTORY', { directory: '.' }, { cause });
    }
  }
}

/** Opens a connection for one question; undefined if there is no answer. */
async function inPassing<T>(
  open: () => Promise<Connection | undefined>,
  question: (client: Client) => Promise<T>,
): Promise<T | undefined> {
  let passing: Connection | undefined;
  try {
    passing = await open();
    return passing && (await question(passing.client));
  } catch (error) {
    if (error instanceof NsvError) return undefined;
    throw error;
  } finally {
    passing?.close();
  }
}

/** Different versions work together as long as both know the methods used. */
function noteVersions(theirs: Hello, out: Output): void {
  if (theirs.version === version && theirs.build === build) return;
  const isOther = theirs.version !== version;
  const what = isOther ? `nsv ${theirs.version}, this command is nsv ${version}` : `another build of nsv ${version}`;
  out.note(`nsv: the daemon is ${what}; run "nsv update" to update the daemon`);
}

/**
 * Accesses the streams of `process` only to write: Node makes a pipe non-blocking on first access, for every process
 * that shares it, such as the apps of `nsv run`.
 */
function outputOf(process: NodeJS.Process, json: boolean, onBroken: Broken, progress: ProgressLine): Output {
  const used = new Set<NodeJS.WriteStream>();
  const write = (stream: NodeJS.WriteStream, bytes: string | Uint8Array) => {
    if (!used.has(stream)) stream.on('error', onBroken);
    used.add(stream);
    progress.clear();
    return stream.write(bytes);
  };
  const note = (text: string) => void write(process.stderr, `${text}\n`);
  return {
    get terminal() {
      return terminalOf(process.stdout, process.env);
    },
    json,
    write: (text) => void write(process.stdout, `${text}\n`),
    note,
    progress: (text, isLasting = false) => (isLasting ? note(harmless(text)) : progress.show(text)),
    async report(error) {
      const { renderFailure, renderFailureJson } = await import('./frequent-commands.ts');
      note(json ? renderFailureJson(error) : await renderFailure(error, terminalOf(process.stderr, process.env)));
    },
    async pass(bytes) {
      if (!write(process.stdout, bytes)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    },
    endWithReader() {
      const gone = () => onBroken(Object.assign(new Error('no reader'), { code: 'EPIPE' }));
      onceUnread(1, gone);
      // A program that reads by the API has a socket there instead of a pipe, and holds the input open.
      if (process.env[inputOfReader]) process.stdin.once('end', gone).resume();
    },
  };
}

// What commands get when nsv really runs: the terminal, the shell's environment, and the daemon.
import type { Connection } from '../ipc/client.ts';
import { realClock } from '../shared/clock.ts';
import { failure, NsvError } from '../shared/errors.ts';
import { givenEnvironment } from '../shared/process-1.ts';
import type { Context, Output } from './command.ts';
import { createProgress, noProgress } from './progress.ts';
import { terminalOf } from './render/terminal.ts';
import { openSession } from './session.ts';

/** Milliseconds for a daemon to go that has said that it will. */
const patience = 10_000;

export interface LiveContext extends Context {
  /** Whether the daemon may be at work for this command. */
  readonly isConnected: boolean;
}

type Broken = (error: NodeJS.ErrnoException) => void;

/** `onBroken` is told when what is written cannot be. */
export function createContext(process: NodeJS.Process, json: boolean, onBroken: Broken): LiveContext {
  let progress = noProgress;
  let session: Connection | undefined;
  return {
    out: outputOf(process, json, onBroken, () => progress.clear()),
    cwd: process.cwd(),
    env: givenEnvironment(),
    input: () => process.stdin.setEncoding('utf8'),
    get isConnected() {
      return session !== undefined;
    },
    async connect({ launch } = { launch: false }) {
      if (session) return session.client;
      if (process.stderr.isTTY && !json) progress = createProgress(process.stderr, realClock);
      session = await openSession({ launch, onWait: (text) => progress.show(text) });
      session.onProgress(({ text }) => progress.show(text));
      return session.client;
    },
    async follow(targets, hear) {
      const client = await this.connect();
      // There is nothing that one waits for.
      session?.onProgress(() => undefined);
      session?.onEvent(hear);
      await client.follow({ targets });
    },
    async ask(question) {
      let passing: Connection | undefined;
      try {
        passing = await openSession({ launch: false });
        return await question(passing.client);
      } catch (error) {
        if (error instanceof NsvError) return undefined;
        throw error;
      } finally {
        passing?.close();
      }
    },
    async farewell() {
      const closed = session?.closed;
      if (!closed) return;
      await new Promise<void>((resolve, reject) => {
        const seconds = patience / 1_000;
        const cancel = realClock.after(patience, () => reject(failure('DAEMON_SILENT', { method: 'kill', seconds })));
        closed.then(cancel).then(resolve);
      });
    },
    disconnect() {
      progress.clear();
      session?.close();
      session = undefined;
    },
  };
}

/**
 * Touches the streams of `process` only when there is something to write: to look at one makes a pipe non-blocking, for
 * everybody who shares it, and the apps of `nsv run` do.
 */
function outputOf(process: NodeJS.Process, json: boolean, onBroken: Broken, beforeWrite: () => void): Output {
  const used = new Set<NodeJS.WriteStream>();
  const write = (stream: NodeJS.WriteStream, bytes: string | Uint8Array) => {
    if (!used.has(stream)) stream.on('error', onBroken);
    used.add(stream);
    beforeWrite();
    return stream.write(bytes);
  };
  return {
    get terminal() {
      return terminalOf(process.stdout, process.env);
    },
    json,
    write: (text) => void write(process.stdout, `${text}\n`),
    note: (text) => void write(process.stderr, `${text}\n`),
    async pass(bytes) {
      if (!write(process.stdout, bytes)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    },
  };
}

// What commands get when nsv really runs: the terminal, the shell's environment, and the daemon.
import type { Connection } from '../ipc/client.ts';
import { realClock } from '../shared/clock.ts';
import { failure } from '../shared/errors.ts';
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

export function createContext(process: NodeJS.Process, json: boolean): LiveContext {
  const progress = process.stderr.isTTY && !json ? createProgress(process.stderr, realClock) : noProgress;
  let session: Connection | undefined;
  return {
    out: outputOf(process, json, () => progress.clear()),
    cwd: process.cwd(),
    env: { ...process.env } as Record<string, string>,
    get isConnected() {
      return session !== undefined;
    },
    async connect({ launch } = { launch: false }) {
      if (session) return session.client;
      session = await openSession({ launch, onWait: (text) => progress.show(text) });
      session.onProgress(({ text }) => progress.show(text));
      return session.client;
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

function outputOf({ stdout, stderr, env }: NodeJS.Process, json: boolean, beforeWrite: () => void): Output {
  const writer = (stream: NodeJS.WriteStream) => (text: string) => {
    beforeWrite();
    stream.write(`${text}\n`);
  };
  return { terminal: terminalOf(stdout, env), json, write: writer(stdout), note: writer(stderr) };
}

// Messages between the instances of the app.
import { longestBroadcast, mostBroadcasts } from '../ipc/worker-messages.ts';
import { bridge, declareCapabilities } from './bridge.ts';
import { appError, sendToDaemon } from './daemon.ts';
import { shared } from './shared.ts';

type Handler = (message: unknown, from: { readonly slot: number }) => void;

interface State {
  handlers: Set<Handler>;
  /** Received, and not confirmed yet. */
  received: number;
  /** Messages that may be sent now, as of `at`. */
  allowance: number;
  at: number;
}

const state = () => shared<State>('broadcast', create);

export async function broadcast(message: unknown): Promise<void> {
  const text = textOf(message);
  const daemon = bridge();
  if (!daemon) return;
  takeTurn();
  await sendToDaemon(daemon, { type: 'broadcast', text });
}

export function onMessage(handler: Handler): () => void {
  const { handlers } = state();
  handlers.add(handler);
  declareCapabilities({ messages: true });
  return () => {
    handlers.delete(handler);
    if (handlers.size === 0) declareCapabilities({ messages: false });
  };
}

function create(): State {
  const own: State = { handlers: new Set(), received: 0, allowance: mostBroadcasts, at: performance.now() };
  bridge()?.onMessage('broadcast', ({ from, text }) => {
    own.received += 1;
    if (own.received === 1) setImmediate(confirm, own);
    if (!isJson(text)) return;
    // Parsed for each, so that none can change what another gets; and in a turn of its own, so that none can keep it from others.
    for (const handler of own.handlers) process.nextTick(() => handler(JSON.parse(text), { slot: from }));
  });
  return own;
}

/** The daemon keeps back what a process does not read. */
function confirm(own: State): void {
  bridge()?.send({ type: 'broadcasts-received', count: own.received });
  own.received = 0;
}

/** Throws a TypeError for what JSON cannot hold, and NSV_TOO_LARGE. */
function textOf(message: unknown): string {
  const text = JSON.stringify(message) as string | undefined;
  if (text === undefined) throw new TypeError(`a message must be something that JSON can hold, not ${typeof message}`);
  const bytes = Buffer.byteLength(text);
  if (bytes > longestBroadcast)
    throw appError(
      'NSV_TOO_LARGE',
      `a message of ${bytes} bytes as JSON is too large: ${longestBroadcast} are allowed`,
    );
  return text;
}

/** The daemon passes on what another instance has sent, whatever it is. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Throws NSV_TOO_FAST. */
function takeTurn(): void {
  const own = state();
  const now = performance.now();
  own.allowance = Math.min(mostBroadcasts, own.allowance + ((now - own.at) / 1_000) * mostBroadcasts);
  own.at = now;
  if (own.allowance < 1)
    throw appError('NSV_TOO_FAST', `a process may send ${mostBroadcasts} messages a second: this one was not sent`);
  own.allowance -= 1;
}

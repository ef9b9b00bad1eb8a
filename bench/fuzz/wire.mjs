// A client of the daemon's socket that sends what it is given, and reads what comes.
import { connect } from 'node:net';
import { Finding, within } from './finding.mjs';

export class Wire {
  /** Messages of the daemon, in order. */
  received = [];
  isClosed = false;
  #socket;
  #rest = '';
  #listeners = new Set();

  constructor(file) {
    this.#socket = connect({ path: file, allowHalfOpen: true });
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (text) => this.#read(text));
    // A refused or broken connection: 'close' follows.
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.isClosed = true;
      this.#changed();
    });
    this.#socket.on('end', () => this.#socket.end());
  }

  send(bytes) {
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  /** No more messages from here; the other direction stays open. */
  end() {
    this.#socket.end();
  }

  /** Stops reading, with whatever the daemon sends. */
  mute() {
    this.#socket.pause();
  }

  destroy() {
    this.#socket.destroy();
  }

  /** Resolves with what `look` finds, once it finds something; rejects with a finding after `ms`. */
  when(look, ms, fact, input) {
    const found = new Promise((resolve) => {
      const again = () => {
        const value = look();
        if (value === undefined || value === false) return;
        this.#listeners.delete(again);
        resolve(value);
      };
      this.#listeners.add(again);
      again();
    });
    return within(ms, fact, found, input);
  }

  replyTo(id) {
    return this.received.find((message) => message?.id === id && message.method === undefined);
  }

  #read(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) this.received.push(JSON.parse(line));
    this.#changed();
  }

  #changed() {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** One call on a connection of its own; resolves with the reply. */
export async function callOnce(file, method, params, ms) {
  const wire = new Wire(file);
  try {
    wire.send(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
    const reply = await wire.when(
      () => wire.replyTo(1) ?? (wire.isClosed && { closed: true }),
      ms,
      `the daemon did not answer "${method}" within ${ms / 1_000} s`,
    );
    if (reply.closed) throw new Finding(`the daemon closed the connection of a call of "${method}"`);
    return reply;
  } finally {
    wire.destroy();
  }
}

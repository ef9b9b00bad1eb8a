// The connection to the formatter: starts one if none is running, and tells it which processes to read.
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { FromFormatter, Source, ToFormatter } from '../../ipc/formatter-messages.ts';
import { LineReader, renderLine } from '../../ipc/frame.ts';
import { defaultLimits } from '../../ipc/limits.ts';
import { dial } from '../../os/socket-file.ts';
import { type Clock, pause } from '../../shared/clock.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';

export interface FormatterLineDeps {
  /** The formatter's socket. */
  file: string;
  clock: Clock;
  /** Starts a formatter. */
  spawn(): void;
  news(message: Exclude<FromFormatter, { is: 'finished' }>): void;
}

interface Entry {
  source: Source;
  /** Descriptors of the FIFOs. While the daemon holds them, no unread output is lost, whichever other process dies. */
  keepers: number[];
  /** Set when the process has exited. */
  finished?: () => void;
}

/** All in milliseconds. A formatter boots in about 40 ms; one that does not come up is tried less often. */
const bootPause = 10;
const slowPause = 500;
const bootTime = 5_000;
const soon = 1_000;
/** Number of exited processes whose unread output is kept while no formatter comes up. */
const mostEnded = 64;

export class FormatterLine {
  readonly #deps: FormatterLineDeps;
  readonly #entries = new Map<string, Entry>();
  #socket: Socket | undefined;
  #connecting: Promise<void> | undefined;
  #connectedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: FormatterLineDeps) {
    this.#deps = deps;
  }

  /** Tells the formatter to read the FIFOs of a process. `keepers` are closed when it is done. */
  read(source: Source, keepers: number[]): void {
    this.#entries.set(source.id, { source, keepers });
    if (this.#socket) this.#send({ do: 'read', source });
    else this.connect().catch(throwUncaught);
  }

  /** Called when the process has exited. Resolves when its output is written, or after `timeout` milliseconds. */
  finish(id: string, timeout: number): Promise<void> {
    const entry = this.#entries.get(id);
    if (!entry) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.after(timeout, resolve);
      entry.finished = () => {
        cancel();
        resolve();
      };
      this.#send({ do: 'finish', id });
      this.#forgetOldest();
    });
  }

  /**
   * Resolves when the formatter closes the connection (it may stay for other apps), or after `timeout` ms. One that is still
   * starting is waited for: it would stay for a while otherwise, in case that a daemon connects.
   */
  async close(timeout: number): Promise<void> {
    if (!this.#socket && !this.#connecting) return;
    await new Promise<void>((resolve, reject) => {
      this.#deps.clock.after(timeout, resolve);
      const end = () => {
        if (!this.#socket) return resolve();
        this.#socket.on('close', () => resolve());
        this.#socket.end();
      };
      if (this.#connecting) this.#connecting.then(end, reject);
      else end();
    });
  }

  /** Does nothing if already connected. */
  connect(): Promise<void> {
    if (this.#socket) return Promise.resolve();
    this.#connecting ??= this.#reach().then((socket) => {
      this.#connecting = undefined;
      this.#begin(socket);
    });
    return this.#connecting;
  }

  async #reach(): Promise<Socket> {
    const { clock, file, spawn } = this.#deps;
    for (let askedAt = Number.NEGATIVE_INFINITY; ; ) {
      try {
        return await dial(file, soon);
      } catch {
        const waited = clock.now() - askedAt;
        if (waited > bootTime) {
          spawn();
          askedAt = clock.now();
        }
        await pause(clock, waited > soon && waited < bootTime ? slowPause : bootPause);
      }
    }
  }

  #begin(socket: Socket): void {
    this.#socket = socket;
    this.#connectedAt = this.#deps.clock.now();
    const reader = new LineReader(defaultLimits.message);
    socket.on('data', (chunk) => {
      for (const line of reader.read(chunk)) this.#onMessage(JSON.parse(line) as FromFormatter);
    });
    socket.on('error', () => {});
    socket.on('close', () => this.#lost().catch(throwUncaught));
    for (const { source, finished } of this.#entries.values()) {
      this.#send({ do: 'read', source });
      if (finished) this.#send({ do: 'finish', id: source.id });
    }
  }

  async #lost(): Promise<void> {
    this.#socket = undefined;
    if (this.#entries.size === 0) return;
    const { clock } = this.#deps;
    if (clock.now() - this.#connectedAt < soon) await pause(clock, soon);
    await this.connect();
  }

  #send(message: ToFormatter): void {
    this.#socket?.write(renderLine(message));
  }

  #onMessage(message: FromFormatter): void {
    if (message.is === 'finished') this.#forget(message.id);
    else this.#deps.news(message);
  }

  #forget(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    for (const fd of entry.keepers) closeSync(fd);
    entry.finished?.();
  }

  #forgetOldest(): void {
    const ended = [...this.#entries].filter(([, { finished }]) => finished);
    for (const [id] of ended.slice(0, -mostEnded)) this.#forget(id);
  }
}

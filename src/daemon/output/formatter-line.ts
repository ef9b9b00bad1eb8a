// The line from the daemon to the formatter: starts one where there is none, and tells it of every process it is to read.
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { FromFormatter, Source, ToFormatter } from '../../ipc/formatter-messages.ts';
import { LineReader, renderLine } from '../../ipc/frame.ts';
import { defaultLimits } from '../../ipc/limits.ts';
import { dial } from '../../os/socket-file.ts';
import type { Clock } from '../../shared/clock.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';

export interface FormatterLineDeps {
  /** Its socket. */
  file: string;
  clock: Clock;
  /** Starts a formatter. */
  spawn(): void;
  news(message: Exclude<FromFormatter, { is: 'finished' }>): void;
}

interface Entry {
  source: Source;
  /** While we hold its FIFOs nothing that lies in them is lost, whoever else dies. */
  keepers: number[];
  /** Set once the process has ended. */
  finished?: () => void;
}

/** All in milliseconds. A formatter boots in some 40, and one that does not come up is not asked for too often. */
const bootPause = 10;
const slowPause = 500;
const bootTime = 5_000;
const soon = 1_000;
/** Ended processes whose last words are kept for a formatter that does not come up. */
const mostEnded = 64;

export class FormatterLine {
  readonly #deps: FormatterLineDeps;
  readonly #entries = new Map<string, Entry>();
  #socket: Socket | undefined;
  #isConnecting = false;
  #connectedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: FormatterLineDeps) {
    this.#deps = deps;
  }

  /** It is to read the FIFOs of a process. The keepers are descriptors of ours, which are closed when it is done. */
  read(source: Source, keepers: number[]): void {
    this.#entries.set(source.id, { source, keepers });
    if (this.#socket) this.#say({ do: 'read', source });
    else this.connect().catch(throwUncaught);
  }

  /** The process has ended. Resolves when all that it printed is written, or after `patience` milliseconds. */
  finish(id: string, patience: number): Promise<void> {
    const entry = this.#entries.get(id);
    if (!entry) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.after(patience, resolve);
      entry.finished = () => {
        cancel();
        resolve();
      };
      this.#say({ do: 'finish', id });
      this.#forgetOldest();
    });
  }

  /** Resolves when the formatter is gone, or has said that it goes on for others; or after `patience` milliseconds. */
  async close(patience: number): Promise<void> {
    const socket = this.#socket;
    if (!socket) return;
    await new Promise<void>((resolve) => {
      socket.on('close', () => resolve());
      socket.end();
      this.#deps.clock.after(patience, resolve);
    });
  }

  /** Does nothing when there is a line already. */
  async connect(): Promise<void> {
    if (this.#isConnecting || this.#socket) return;
    this.#isConnecting = true;
    this.#begin(await this.#reach());
    this.#isConnecting = false;
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
        await this.#pause(waited > soon && waited < bootTime ? slowPause : bootPause);
      }
    }
  }

  #begin(socket: Socket): void {
    this.#socket = socket;
    this.#connectedAt = this.#deps.clock.now();
    const reader = new LineReader(defaultLimits.message);
    socket.on('data', (chunk) => {
      for (const line of reader.read(chunk)) this.#hear(JSON.parse(line) as FromFormatter);
    });
    socket.on('error', () => {});
    socket.on('close', () => this.#lost().catch(throwUncaught));
    for (const { source, finished } of this.#entries.values()) {
      this.#say({ do: 'read', source });
      if (finished) this.#say({ do: 'finish', id: source.id });
    }
  }

  async #lost(): Promise<void> {
    this.#socket = undefined;
    if (this.#entries.size === 0) return;
    if (this.#deps.clock.now() - this.#connectedAt < soon) await this.#pause(soon);
    await this.connect();
  }

  #say(message: ToFormatter): void {
    this.#socket?.write(renderLine(message));
  }

  #hear(message: FromFormatter): void {
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

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#deps.clock.after(ms, resolve));
  }
}

// The end of this process, for all who take part in it: `onShutdown` and its like, and each lightship. It has two steps. When
// it begins, nothing new is to be started. When it proceeds, all HTTP requests are answered, as far as nsv sees to that, and
// everybody does what is left to do. Then the process exits.
import type { ShutdownPart } from '../../ipc/app/bridge.ts';
import { bridge } from '../bridge.ts';
import { now, within } from '../clock.ts';
import { shared } from '../shared.ts';

export interface Why {
  /** The name of a signal, or what `shutdown(reason)` was told. */
  reason: string;
  /** Milliseconds until the process has to be gone; undefined without nsv. */
  limit: number | undefined;
}

export interface Participant {
  begin(why: Why): void;
  /** Resolves when it has nothing left to do, with false if something failed or took too long. Never rejects. */
  run(): Promise<boolean>;
  /** All participants have nothing left to do. */
  ended?(): void;
  /** Ends the process in its own way. */
  exit?(code: number): Promise<void>;
}

/** Milliseconds before the kill timeout: to say what was cut, and to exit by ourselves. */
const reserve = 500;
/** Milliseconds in which a second Ctrl-C is taken for the first one: `npm run` passes on what the terminal has sent to all. */
const echo = 500;

class Ending {
  readonly #participants = new Set<Participant>();
  readonly #begun = new Set<Participant>();
  readonly #signals = new Set<NodeJS.Signals>();
  #isAttached = false;
  #why: Why | undefined;
  #begunAt = 0;
  #isProceeding = false;
  #exit: ((code: number) => void) | undefined;

  /** Has the preload tell when it begins. Nothing else changes: a process without participants ends as ever. */
  attach(): void {
    if (this.#isAttached) return;
    this.#isAttached = true;
    const part: ShutdownPart = {
      isUsed: () => this.#participants.size > 0,
      begin: ({ reason, limit }) => this.begin({ reason, limit: ownLimit(limit) }),
      proceed: (exit) => this.proceed(exit),
    };
    bridge()?.takePart(part);
  }

  get hasBegun(): boolean {
    return this.#why !== undefined;
  }

  /** From now on these signals shut the process down. */
  join(participant: Participant, signals: readonly NodeJS.Signals[]): void {
    this.attach();
    for (const signal of signals) {
      if (!this.#signals.has(signal)) process.on(signal, this.#onSignal);
      this.#signals.add(signal);
    }
    if (this.#participants.has(participant)) return;
    this.#participants.add(participant);
    // One that ends the process itself has begun too late for this end.
    if (this.#why && !participant.exit) this.#begin(participant, this.#why);
  }

  /** The process is to end. Under nsv, its successor starts now, and requests are answered before anything else. */
  shutdown(reason: string, by: 'app' | 'signal' = 'app'): void {
    this.attach();
    // Whoever has begun will proceed.
    if (this.#why || bridge()?.leave(reason, by)) return;
    this.begin({ reason, limit: undefined });
    this.proceed();
  }

  begin(why: Why): void {
    if (this.#why) return;
    this.#why = why;
    this.#begunAt = now();
    for (const participant of this.#participants) this.#begin(participant, why);
  }

  #begin(participant: Participant, why: Why): void {
    this.#begun.add(participant);
    participant.begin(why);
  }

  proceed(exit?: (code: number) => void): void {
    this.#exit = exit ?? this.#exit;
    if (this.#isProceeding) return;
    this.#isProceeding = true;
    // No participant rejects, and nothing comes after an exit.
    void this.#run();
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    const isInsisting = this.hasBegun && signal === 'SIGINT' && now() - this.#begunAt > echo;
    if (isInsisting && !bridge()) process.exit(130);
    if (this.hasBegun) this.proceed();
    else this.shutdown(signal, 'signal');
  };

  async #run(): Promise<void> {
    const done = new Set<Participant>();
    let isClean = true;
    for (;;) {
      const others = [...this.#begun].filter((one) => !done.has(one));
      if (others.length === 0) break;
      for (const one of others) done.add(one);
      const results = await Promise.all(others.map((one) => one.run()));
      isClean &&= !results.includes(false);
    }
    const code = isClean ? Number(process.exitCode ?? 0) : 1;
    const other = [...done].find((one) => one.exit);
    const exit = this.#exit;
    // If the process lives on, as in a test in which nothing exits, there may be another end, even before this one is over.
    this.#begun.clear();
    for (const one of done) this.#participants.delete(one);
    this.#isProceeding = false;
    this.#exit = undefined;
    if (other && !exit) this.#why = undefined;
    for (const one of done) one.ended?.();
    // They may tell the app, which has its turn before the exit.
    await undefined;
    if (exit) exit(code);
    else if (other) await other.exit?.(code);
    else await exitOncePrinted(code);
    if (this.#participants.size > 0) return;
    this.#why = undefined;
    for (const signal of this.#signals) process.off(signal, this.#onSignal);
    this.#signals.clear();
  }
}

export const ending = () => shared('ending', () => new Ending());

function ownLimit(limit: number): number {
  return limit - Math.min(reserve, limit / 2);
}

/** Milliseconds for a reader of standard output that is slow, or has stopped to read. */
const timeout = 500;

/** Exits when what was printed has left the process: `process.exit` loses what waits for a pipe. */
async function exitOncePrinted(code: number): Promise<void> {
  await within(timeout, Promise.all([process.stdout, process.stderr].map(printed)), undefined);
  process.exit(code);
}

function printed(stream: NodeJS.WriteStream): Promise<void> | undefined {
  if (stream.writableLength === 0 || stream.destroyed) return undefined;
  return new Promise((resolve) => stream.write('', () => resolve()));
}

// What `onShutdown`, `beacon` and `shutdownSignal` have to do at the end: wait for the beacons, then call the handlers, the
// last one first, each within its share of the time.
import type { Beacon, ShutdownHandler, ShutdownOptions } from '../../../app/index.cjs';
import { durationOf, now, wall, within } from '../clock.ts';
import { print } from '../print.ts';
import type { Participant, Why } from './ending.ts';

/** Milliseconds for everything, without nsv: `docker stop` waits as long. */
export const usualLimit = 10_000;
/** Milliseconds that beacons leave to the handlers, but at most a quarter of the time. */
const reserve = 1_000;

const late = Symbol('late');

interface Registered {
  handler: ShutdownHandler;
  name: string;
  timeout: number | undefined;
}

export class Sequence implements Participant {
  readonly #controller = new AbortController();
  readonly #handlers: Registered[] = [];
  readonly #beacons = new Map<Beacon, { context: unknown; cut: (() => void) | undefined }>();
  #beaconsGone: (() => void) | undefined;
  #usualLimit = usualLimit;
  #reason = '';
  #limit = 0;
  #end = 0;
  #isClean = true;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** For ends without nsv. */
  limitTo(ms: number): void {
    this.#usualLimit = durationOf('timeout', ms);
  }

  add(handler: ShutdownHandler, { name, timeout }: ShutdownOptions = {}): () => void {
    if (typeof handler !== 'function') throw new TypeError('onShutdown: the handler must be a function');
    const registered = {
      handler,
      name: name ?? (handler.name || `number ${this.#handlers.length + 1}`),
      timeout: timeout === undefined ? undefined : durationOf('timeout', timeout),
    };
    this.#handlers.push(registered);
    return () => {
      const at = this.#handlers.indexOf(registered);
      if (at !== -1) this.#handlers.splice(at, 1);
    };
  }

  /** `cut`: called when the others are not waited for any longer. */
  light(context: unknown, cut?: () => void): Beacon {
    const beacon: Beacon = {
      die: () => {
        this.#beacons.delete(beacon);
        if (this.#beacons.size === 0) this.#beaconsGone?.();
      },
    };
    this.#beacons.set(beacon, { context, cut });
    return beacon;
  }

  begin({ reason, limit }: Why): void {
    this.#reason = reason;
    this.#limit = limit === undefined ? this.#usualLimit : limit;
    this.#end = now() + this.#limit;
    this.#controller.abort(new DOMException(reason, 'AbortError'));
  }

  async run(): Promise<boolean> {
    await this.#outlastBeacons();
    for (let next = this.#handlers.pop(); next; next = this.#handlers.pop()) await this.#call(next);
    return this.#isClean;
  }

  get #rest(): number {
    return Math.max(0, this.#end - now());
  }

  async #outlastBeacons(): Promise<void> {
    if (this.#beacons.size === 0) return;
    const kept = this.#handlers.length > 0 ? Math.min(reserve, this.#limit / 4) : 0;
    const gone = new Promise<void>((resolve) => {
      this.#beaconsGone = resolve;
    });
    if ((await within(Math.max(0, this.#rest - kept), gone, late)) !== late) return;
    const left = [...this.#beacons.values()];
    for (const { cut } of left) cut?.();
    const others = left.filter(({ cut }) => !cut);
    if (others.length === 0) return;
    this.#isClean = false;
    const contexts = others.map(({ context }) => context).filter((context) => context !== undefined);
    print(`gave up waiting for ${others.length} beacon(s) that did not die:`, ...contexts);
  }

  async #call({ handler, name, timeout }: Registered): Promise<void> {
    const share = this.#rest / (this.#handlers.length + 1);
    const limit = Math.min(timeout ?? share, this.#rest);
    if (limit <= 0) {
      this.#fail(`had no time left for the shutdown handler "${name}"`);
      return;
    }
    const controller = new AbortController();
    const context = { signal: controller.signal, deadline: wall() + limit, reason: this.#reason };
    try {
      const result = await within(limit, Promise.resolve(handler(context)), late);
      if (result !== late) return;
      this.#fail(`the shutdown handler "${name}" did not finish within ${Math.round(limit)} ms`);
      controller.abort(new DOMException('the time of the shutdown handler is over', 'TimeoutError'));
    } catch (error) {
      this.#fail(`the shutdown handler "${name}" failed:`, error);
    }
  }

  #fail(text: string, ...more: unknown[]): void {
    this.#isClean = false;
    print(text, ...more);
  }
}

// The load: clients that keep their connection, and a stream of new connections at a fixed rate whatever the server
// does (an open loop, so a server that is slow is asked as often as one that is not). Bounded in time and in count.
import { setTimeout as after } from 'node:timers/promises';
import { Http1Connection } from './http1.mjs';
import { Http2Connection } from './http2.mjs';
import { mostStall, watchStalls } from './stalls.mjs';

const bounds = { milliseconds: 240_000, requests: 300_000, open: 2000 };
const defaults = {
  clients: 64,
  streams: 1,
  think: [0, 20],
  rate: 200,
  bodyBytes: 0,
  throwEvery: 0,
  http2: false,
  /** Whether clients give up an idle connection before the end of its `Keep-Alive: timeout`. */
  heedsHint: false,
  /** So many milliseconds before. Node's agent has 1,000, and 0 in Node 20. */
  margin: 1000,
  /** What every request asks for; by default the number of the request, which `judge` of failures.mjs wants to see in the answer. */
  path: undefined,
};
/** New connections that are opened in one turn of the event loop. At 200 a second one is due every 5 ms. */
const mostAtOnce = 20;

export class Load {
  failures = [];
  /** Requests for which the app was asked to throw: they may fail, and are counted apart. */
  thrown = [];
  /** Times of the answers on new connections, milliseconds. */
  latencies = [];
  requests = 0;
  retried = 0;
  #options;
  #target;
  #body;
  #begin = Date.now();
  #stopped = false;
  #open = new Set();
  #stalls = watchStalls();

  constructor(target, options = {}) {
    this.#target = target;
    this.#options = { ...defaults, ...options };
    if (this.#options.bodyBytes) this.#body = Buffer.alloc(this.#options.bodyBytes, 'x');
    for (let client = 0; client < this.#options.clients; client += 1) this.#track(this.#keepAlive());
    if (this.#options.rate) this.#track(this.#newConnections());
  }

  /** True once a bound was reached: what comes after was not under load. */
  get exhausted() {
    return Date.now() - this.#begin > bounds.milliseconds || this.requests >= bounds.requests;
  }

  /** The longest time, in milliseconds, for which this process did not get to its clients. */
  get stall() {
    return this.#stalls.longest;
  }

  /** Whether nothing that was counted means anything: too long a time passed without the clients. */
  get isStarved() {
    return this.stall > mostStall;
  }

  /** Begins no more requests; resolves when the last one has its answer or has hung. */
  async stop() {
    this.#stopped = true;
    while (this.#open.size > 0) await Promise.all(this.#open);
    this.#stalls.stop();
  }

  /** `count` new connections, one every 1000 / `rate` ms; resolves when each has its answer. */
  async burst(count, rate) {
    const begin = Date.now();
    const asked = [];
    for (let sent = 0; sent < count; sent += 1) {
      await after(Math.max(0, begin + (sent * 1000) / rate - Date.now()));
      asked.push(this.#once());
    }
    await Promise.all(asked);
  }

  /** One request on a connection of its own, not counted. */
  askAside(path) {
    const connection = this.#connect();
    return connection.request(path, undefined, true).finally(() => connection.close());
  }

  get #running() {
    return !this.#stopped && !this.exhausted;
  }

  #track(promise) {
    this.#open.add(promise);
    promise.finally(() => this.#open.delete(promise));
  }

  #connect() {
    return this.#options.http2 ? new Http2Connection(this.#target) : new Http1Connection(this.#target);
  }

  async #keepAlive() {
    await after(Math.random() * this.#options.think[1]);
    while (this.#running) {
      const connection = this.#connect();
      do {
        await Promise.all(Array.from({ length: this.#options.streams }, () => this.#ask(connection, 'kept', false)));
        await this.#think(connection);
      } while (this.#running && connection.usable);
      connection.close();
    }
  }

  /** `heedsHint`: it does not use a connection for longer than the server has promised, as Node's agent does. */
  async #think(connection) {
    const { think, heedsHint, margin } = this.#options;
    const time = think[0] + Math.random() * (think[1] - think[0]);
    const usable = heedsHint ? connection.promised - margin : time;
    await after(Math.min(time, usable));
    if (time <= usable) return;
    connection.close();
    await after(time - usable);
  }

  async #newConnections() {
    const begin = Date.now();
    for (let sent = 0; this.#running; await after(2)) {
      const due = Math.floor(((Date.now() - begin) * this.#options.rate) / 1000);
      // What is left out was due while this process had no processor: all at once it would be a load that nobody asked for.
      const count = Math.min(due - sent, mostAtOnce, bounds.open - this.#open.size);
      for (let opened = 0; opened < count; opened += 1) this.#track(this.#once());
      sent = due;
    }
  }

  async #once() {
    const begin = performance.now();
    const connection = this.#connect();
    const failed = await this.#ask(connection, 'new', true);
    connection.close();
    if (!failed) this.latencies.push(performance.now() - begin);
  }

  /** Asks once; again on a fresh connection only where HTTP/2 promises that the first attempt did nothing. */
  async #ask(connection, via, last) {
    this.requests += 1;
    const { throwEvery, path: wanted = `/${this.requests}` } = this.#options;
    const throwing = throwEvery > 0 && this.requests % throwEvery === 0;
    const path = `${throwing ? '/throw' : ''}${wanted}`;
    let outcome = await connection.request(path, this.#body, last);
    for (let attempt = 0; outcome.kind === 'unprocessed'; attempt += 1) {
      outcome = attempt < 3 ? await this.#retry(path, last) : { kind: 'refused', detail: 'unprocessed four times' };
    }
    if (outcome.kind || throwing)
      this.#record({ ...outcome, path, via, port: connection.localPort, openedAt: connection.openedAt }, throwing);
    return Boolean(outcome.kind);
  }

  async #retry(path, last) {
    this.retried += 1;
    const connection = this.#connect();
    const outcome = await connection.request(path, this.#body, last);
    connection.close();
    return outcome;
  }

  #record(failure, throwing) {
    const at = Date.now();
    (throwing ? this.thrown : this.failures).push({ ...failure, at, ms: at - this.#begin });
  }
}

// The connections to a Redis: one for commands, and one that hears of changes, once somebody wants to know.
import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis';
import { within } from '../../../app/clock.ts';
import { queueError } from '../../errors.ts';
import { loadPackage } from '../load-package.ts';
import { redisAddressOf } from './address.ts';
import { storeError } from './errors.ts';
import { type ScriptName, scripts, textOf } from './scripts.ts';

/** Milliseconds that a call waits for the connection. */
const timeout = 2_000;

/** What the user says goes before them. */
const usual = {
  /** Milliseconds for the answer to a command: the network may be gone without a word. */
  commandTimeout: 5_000,
  connectTimeout: 5_000,
  /** After a failover, the connection may lead to what was the primary. */
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
} satisfies RedisOptions;

/**
 * What was sent when the connection is lost is not sent once more: the first time may have worked, and two tasks be claimed for one. Nor is
 * anything kept for later that has been reported as failed.
 */
const required = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  lazyConnect: false,
  keyPrefix: '',
  stringNumbers: false,
} satisfies RedisOptions;

/** For the connection that hears of changes: it subscribes whenever Redis is there. */
const hears = { ...required, maxRetriesPerRequest: null, enableOfflineQueue: true, commandTimeout: undefined };

/** Milliseconds after which the connections to a cluster, which would keep the process alive, are closed if nobody uses them. */
const rest = 1_000;

type Client = Redis | Cluster;
type Script = (base: string, ...values: (string | number)[]) => Promise<unknown>;

export class RedisConnection {
  readonly address: string;
  readonly #given: string | object;
  #client: Client | undefined;
  #hearing: Client | undefined;
  #ready: Promise<unknown> | undefined;
  #problem: Error | undefined;
  /** Calls in progress, and listeners. */
  #users = 0;
  #rest: NodeJS.Timeout | undefined;
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(given: string | object) {
    this.#given = given;
    this.address = redisAddressOf(given);
  }

  /** What the script returns. Rejects with NSV_STORE, soon if Redis cannot be reached. */
  run(name: ScriptName, base: string, ...values: (string | number)[]): Promise<unknown> {
    return this.use((client) => (client as unknown as Record<string, Script>)[commandOf(name)]!(base, ...values));
  }

  async use<T>(job: (client: Client) => Promise<T>): Promise<T> {
    this.#enter();
    try {
      return await job(await this.#connected());
    } catch (error) {
      throw storeError(this.address, error);
    } finally {
      this.#leave();
    }
  }

  /** Calls `changed` with each message in the channel, and whenever some may have been missed. Returns how to end that. */
  listen(channel: string, changed: () => void): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(changed));
    this.#enter();
    // Calls of the queue say what is wrong.
    this.#subscribe(channel).then(changed, () => {});
    return () => {
      if (!listeners.delete(changed)) return;
      this.#leave();
      if (listeners.size === 0) this.#hearing?.unsubscribe(channel).catch(() => {});
    };
  }

  /** It waits until there is a connection. */
  async #subscribe(channel: string): Promise<void> {
    this.#hearing ??= this.#hear();
    await this.#hearing.subscribe(channel);
  }

  close(): void {
    clearTimeout(this.#rest);
    for (const client of [this.#hearing, this.#client]) client?.disconnect();
    this.#forget();
  }

  #enter(): void {
    this.#users += 1;
    clearTimeout(this.#rest);
  }

  #leave(): void {
    this.#users -= 1;
    if (this.#users === 0 && this.#client?.isCluster) this.#rest = setTimeout(() => this.close(), rest).unref();
  }

  async #connected(): Promise<Client> {
    this.#client ??= this.#connect();
    const client = this.#client;
    if (!isReady(client)) {
      this.#ready ??= new Promise((resolve) => client.once('ready', resolve));
      await within(timeout, this.#ready, undefined);
    }
    if (isReady(client)) return client;
    throw this.#problem ?? new Error(`it does not answer within ${timeout} ms`);
  }

  #connect(): Client {
    const client = createClient(this.#given, required, this.#retry);
    for (const name of Object.keys(scripts) as ScriptName[])
      client.defineCommand(commandOf(name), { numberOfKeys: 1, lua: textOf(name) });
    client.on('error', (error) => {
      this.#problem = error;
    });
    client.on('ready', () => {
      this.#problem = undefined;
      this.#ready = undefined;
    });
    client.on('end', () => {
      if (this.#client === client) this.#forget();
    });
    return client;
  }

  #hear(): Client {
    const hearing = createClient(this.#given, hears, this.#retry);
    hearing.on('error', () => {});
    hearing.on('message', (channel: string) => this.#announce(channel));
    hearing.on('ready', () => this.#announce());
    // Its connection was lost while nobody listened.
    hearing.on('end', () => {
      if (this.#hearing === hearing) this.#hearing = undefined;
    });
    return hearing;
  }

  readonly #retry = (attempts: number) => (this.#users > 0 ? Math.min(attempts * 100, 2_000) : null);

  #announce(channel?: string): void {
    const channels = channel === undefined ? this.#listeners.keys() : [channel];
    for (const each of channels) for (const changed of this.#listeners.get(each) ?? []) changed();
  }

  #forget(): void {
    this.#client = undefined;
    this.#hearing?.disconnect();
    this.#hearing = undefined;
    this.#ready = undefined;
  }
}

type Retry = (attempts: number) => number | null;

/** Another client of the same kind, if one is given: with settings of its own, it is never in the way of the app's. */
function createClient(given: string | object, own: RedisOptions, retryStrategy: Retry): Client {
  if (isCluster(given)) {
    const { enableOfflineQueue, lazyConnect, keyPrefix } = own;
    const redisOptions = optionsFrom(given.options.redisOptions, own);
    const all = { enableOfflineQueue, lazyConnect, keyPrefix, clusterRetryStrategy: retryStrategy, redisOptions };
    // A replica may not have yet what was written.
    return given.duplicate([], { ...all, scaleReads: 'master' } as ClusterOptions);
  }
  if (isClient(given)) return letEnd(given.duplicate({ ...optionsFrom(given.options, own), retryStrategy }));
  const { Redis } = loadLibrary();
  if (typeof given === 'string') return letEnd(new Redis(given, { ...optionsFrom({}, own), retryStrategy }));
  const { url, ...options } = given as RedisOptions & { url?: string };
  const all = { ...optionsFrom(options, own), retryStrategy };
  return letEnd(url === undefined ? new Redis(all) : new Redis(url, all));
}

/** What the user says goes before what is usual, unless it is undefined. */
function optionsFrom(options: RedisOptions = {}, own: RedisOptions): RedisOptions {
  const said = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...usual, ...Object.fromEntries(said), ...own };
}

function isReady({ status }: Client): boolean {
  return status === 'ready';
}

function isClient(given: string | object): given is Redis {
  return typeof (given as Partial<Redis>).duplicate === 'function';
}

function isCluster(given: string | object): given is Cluster {
  return (given as Partial<Cluster>).isCluster === true;
}

/** A connection that nobody waits for does not keep the process alive: a program that has added its tasks may end. */
function letEnd<C extends Client>(client: C): C {
  client.on('connect', () => (client as unknown as { stream?: { unref?(): void } }).stream?.unref?.());
  return client;
}

function commandOf(name: ScriptName): string {
  return `nsv_${name}`;
}

/** Throws NSV_NO_REDIS. */
function loadLibrary(): typeof import('ioredis') {
  const advice = 'run "npm install ioredis", or use another store';
  const failed = (what: string, error?: unknown) =>
    queueError('NSV_NO_REDIS', `redisStore needs the package "ioredis", which ${what}; ${advice}`, error);
  let library: unknown;
  try {
    library = loadPackage('ioredis');
  } catch (error) {
    throw failed(`cannot be loaded: ${(error as Error).message}`, error);
  }
  if (library) return library as typeof import('ioredis');
  throw failed('is not installed');
}

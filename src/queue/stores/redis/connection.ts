// The connections to a Redis: one for commands, and one that hears of changes, once somebody wants to know.
import type { Cluster, Redis, RedisOptions } from 'ioredis';
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
const required = { maxRetriesPerRequest: 0, enableOfflineQueue: false, keyPrefix: '' } satisfies RedisOptions;

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
    this.#users += 1;
    try {
      return await job(await this.#connected());
    } catch (error) {
      throw storeError(this.address, error);
    } finally {
      this.#users -= 1;
    }
  }

  /** Calls `changed` with each message in the channel, and whenever some may have been missed. Returns how to end that. */
  listen(channel: string, changed: () => void): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(changed));
    this.#users += 1;
    const end = () => {
      this.#users -= 1;
      listeners.delete(changed);
    };
    // Calls of the queue say so. Until then it looks by itself from time to time.
    this.use(async (client) => {
      this.#hearing ??= this.#hear(client);
      await this.#hearing.subscribe(channel);
      changed();
    }).catch(() => {});
    return end;
  }

  close(): void {
    this.#listeners.clear();
    for (const client of [this.#hearing, this.#client]) client?.disconnect();
    this.#forget();
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
    const client = createClient(this.#given, (attempts) => (this.#users > 0 ? Math.min(attempts * 100, 2_000) : null));
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

  /** A client of a cluster has a connection for this by itself. */
  #hear(client: Client): Client {
    const hearing = client.isCluster ? client : (client as Redis).duplicate({ enableOfflineQueue: true });
    hearing.on('error', () => {});
    hearing.on('message', (channel: string) => this.#announce(channel));
    hearing.on('ready', () => this.#announce());
    if (hearing !== client) letEnd(hearing);
    return hearing;
  }

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

/** Another client of the same kind, if one is given: with settings of its own, it is never in the way of the app's. */
function createClient(given: string | object, retryStrategy: (attempts: number) => number | null): Client {
  const own = { ...required, retryStrategy };
  if (isCluster(given)) {
    const { redisOptions } = given.options;
    return given.duplicate([], {
      ...{ enableOfflineQueue: false, clusterRetryStrategy: retryStrategy },
      redisOptions: { ...usual, ...redisOptions, ...required },
    });
  }
  if (isClient(given))
    return letEnd(given.duplicate({ ...own, commandTimeout: given.options.commandTimeout ?? usual.commandTimeout }));
  const { Redis } = loadLibrary();
  if (typeof given === 'string') return letEnd(new Redis(given, { ...usual, ...own }));
  const { url, ...options } = given as RedisOptions & { url?: string };
  const all = { ...usual, ...options, ...own };
  return letEnd(url === undefined ? new Redis(all) : new Redis(url, all));
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

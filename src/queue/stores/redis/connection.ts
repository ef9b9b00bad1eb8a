// The connection of a store, for all its queues.
import { createRequire } from 'node:module';
import type * as BullMQ from 'bullmq';
import type { IRedisClient, QueueBaseOptions, RedisConnection, RedisQueueBackend } from 'bullmq';
import { within } from '../../../app/clock.ts';
import { queueError } from '../../errors.ts';

/** Milliseconds for which a call waits until Redis can be reached: a restart of it takes less. */
const timeout = 2_000;
/** For a connection of ours. What the user says goes before them. */
const usual = {
  /** Milliseconds for the answer to a command: the network may be gone without a word. */
  commandTimeout: 5_000,
  connectTimeout: 5_000,
  /** ioredis waits for the end of a connection as long as this, even if there is none. */
  disconnectTimeout: 100,
  retryStrategy: (attempts: number) => Math.min(attempts * 100, 2_000),
};
/**
 * What was sent when the connection is lost is not sent once more: the first time may have worked, and two tasks be claimed for one. Nor is
 * anything kept for later that has been reported as failed.
 */
const required = { maxRetriesPerRequest: 0 };

export class RedisStoreConnection {
  readonly address: string;
  readonly #given: string | object;
  readonly #prefix: string;
  #library: Library | undefined;
  #connection: RedisConnection | undefined;
  #ready: Promise<void> | undefined;
  #problem: unknown;

  constructor(given: string | object, prefix: string) {
    this.#given = given;
    this.#prefix = prefix;
    this.address = redisAddressOf(given);
  }

  /** What `job` does; rejects with NSV_STORE, soon if Redis cannot be reached. */
  async use<T>(job: (client: IRedisClient, library: Library) => Promise<T>): Promise<T> {
    try {
      return await job(await this.#client(), this.library);
    } catch (error) {
      throw storeError(this.address, error);
    }
  }

  /** Resolves when Redis can be reached for the first time, however long that takes. */
  async first(): Promise<IRedisClient> {
    return this.#open().client;
  }

  get library(): Library {
    this.#library ??= loadLibrary(!isClient(this.#given));
    return this.#library;
  }

  /**
   * For what BullMQ builds: it uses this connection, or `other`, and closes none. A worker does not get one to block on, which it never
   * does.
   */
  backend(name: string, options: QueueBaseOptions, other?: RedisConnection): RedisQueueBackend {
    const { RedisQueueBackend, QueueKeys } = this.library;
    const keys = new QueueKeys(this.#prefix);
    const toKey = (type: string) => keys.toKey(name, type);
    const connection = other ?? this.#open();
    return new RedisQueueBackend(connection, name, keys.getKeys(name), toKey, options, undefined, false);
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#ready = undefined;
    // By force: all calls are settled, and who says goodbye must be connected.
    await connection?.close(true).catch(() => {});
  }

  async #client(): Promise<IRedisClient> {
    const connection = this.#open();
    const client = await within(timeout, this.#connected(connection), undefined);
    if (client && isUp(client)) return client;
    if (client) {
      this.#ready ??= new Promise((resolve) => connection.once('ready', resolve));
      await within(timeout, this.#ready, undefined);
      if (isUp(client)) return client;
    }
    throw this.#problem ?? new Error(`it does not answer within ${timeout} ms`);
  }

  /** BullMQ does not try again when the first look at the server has failed. */
  async #connected(connection: RedisConnection): Promise<IRedisClient> {
    try {
      return await connection.client;
    } catch (error) {
      if (this.#connection === connection) await this.close();
      throw error;
    }
  }

  #open(): RedisConnection {
    if (this.#connection) return this.#connection;
    const { RedisConnection } = this.library;
    const given = typeof this.#given === 'string' ? { url: this.#given } : this.#given;
    const isShared = isClient(given);
    const options = isShared ? given : { ...usual, ...given, ...required };
    const connection = new RedisConnection(options as object, { shared: isShared, blocking: false });
    connection.on('error', (error) => {
      this.#problem = error;
    });
    connection.on('ready', () => {
      this.#problem = undefined;
      this.#ready = undefined;
    });
    this.#connection = connection;
    return connection;
  }
}

function isClient(given: string | object): boolean {
  return typeof (given as { duplicate?: unknown }).duplicate === 'function';
}

/** A client of a cluster does not go further than `connect` in some versions. */
function isUp({ status, isCluster }: IRedisClient): boolean {
  return status === 'ready' || (isCluster && status === 'connect');
}

/** What a failure means and what to do, by what Redis calls it. */
const meanings = new Map([
  ['WRONGPASS', 'it rejects the user name or the password; check them in "connection"'],
  ['NOAUTH', 'it wants a password; set it in "connection"'],
  ['NOPERM', 'its user may not do this; give it the rights that docs/queue.md names'],
  ['OOM', 'its memory is full (maxmemory)'],
  ['MISCONF', 'it cannot write to its disk'],
  ['READONLY', 'it is a replica; use the address of the primary'],
]);

/** As Redis says NOPERM of what a script does. */
const refusedInScript = /^ERR The user executing the script can't/;

/** Names the address. It has no password in it, and no task: the errors of ioredis hold the arguments of the command. */
export function storeError(address: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code?.toString().startsWith('NSV_')) return error as Error;
  const cause = bare(error);
  const words = refusedInScript.test(cause.message) ? ['NOPERM'] : cause.message.split(/[^A-Z]+/);
  const meaning = meanings.get(words.find((word) => meanings.has(word)) ?? '');
  const what = meaning ? `${meaning} (${cause.message})` : cause.message;
  return queueError('NSV_STORE', `the store in Redis at ${address} failed: ${what}`, cause);
}

function bare(error: unknown): Error {
  const { name, message, code, stack } = error as NodeJS.ErrnoException;
  // Node has no message for a host of several addresses, none of which answers.
  const text = name === 'MaxRetriesPerRequestError' ? 'the connection was lost' : message || code || String(error);
  return Object.assign(new Error(text), { name, ...(stack && { stack }), ...(code !== undefined && { code }) });
}

const usualPort = 6379;
const sentinelPort = 26379;

interface Node {
  url?: string;
  path?: string;
  host?: string;
  port?: number | string;
  db?: number | string;
  /** As node-redis calls it. */
  database?: number;
}

type NodeLike = Node | string | number;

interface Known extends Node {
  sentinels?: readonly NodeLike[];
  /** Of the primary, for its sentinels. */
  name?: string;
  /** Of a client of node-redis. */
  socket?: Node;
}

/** Where a Redis is, for people: never with its password. `connection`: a URL, options, or a client. */
export function redisAddressOf(connection: string | object): string {
  if (typeof connection === 'string') return ofNode(connection);
  // A client knows its options; that of a cluster knows the nodes that it began with.
  const { options, startupNodes } = connection as { options?: Known; startupNodes?: readonly NodeLike[] };
  if (startupNodes) return startupNodes.map((node) => ofNode(node)).join(', ');
  const known = options ?? (connection as Known);
  const { sentinels, name, socket, db, database } = known;
  if (!sentinels) return ofNode(socket ? { ...socket, ...(database && { database }) } : known);
  const all = sentinels.map((node) => ofNode(node, sentinelPort)).join(', ');
  return `${all}${name ? ` (${name})` : ''}${ofDatabase(db)}`;
}

function ofNode(node: NodeLike, port = usualPort): string {
  if (typeof node === 'number') return ofNode({ port: node });
  if (typeof node === 'string') return ofUrl(node, port);
  const database = node.db ?? node.database;
  if (node.path) return `${node.path}${ofDatabase(database)}`;
  if (node.url) return ofUrl(node.url, port, database);
  return `${node.host ?? '127.0.0.1'}:${node.port ?? port}${ofDatabase(database)}`;
}

/** As ioredis reads it: a port, the path of a socket, or a URL, whose protocol may be missing. What it says goes before `database`. */
function ofUrl(text: string, usual: number, database?: number | string): string {
  if (/^\d+$/.test(text)) return ofNode({ port: text });
  const [file = '', query] = text.split('?');
  const asked = new URLSearchParams(query).get('db') ?? database;
  if (text.startsWith('/')) return `${file}${ofDatabase(asked)}`;
  try {
    const { hostname, port, pathname } = new URL(text.includes('://') ? text : `redis://${text}`);
    return `${hostname}:${port || usual}${ofDatabase(pathname.slice(1) || asked)}`;
  } catch {
    return 'an address that is not a URL';
  }
}

/** Each database has queues of its own. */
function ofDatabase(number: number | string = 0): string {
  return Number(number) > 0 ? `/${Number(number)}` : '';
}

export type Library = typeof BullMQ;

/**
 * BullMQ, if the user has installed it, with ioredis: that is the client that BullMQ makes of a URL or of options, and its options (those
 * of Sentinel, TLS and ACL among them) are those that BullMQ documents. For node-redis and others BullMQ needs a client that is already
 * made; who passes one does not need ioredis. Throws NSV_NO_REDIS. `makesClient`: whether BullMQ has to make a client itself.
 */
function loadLibrary(makesClient: boolean): Library {
  const require = createRequire(import.meta.filename);
  const library = installed('bullmq', () => require('bullmq') as Library);
  // Looked for where BullMQ will look.
  if (makesClient) installed('ioredis', () => createRequire(require.resolve('bullmq')).resolve('ioredis'));
  return library;
}

function installed<T>(name: string, load: () => T): T {
  try {
    return load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = code === 'MODULE_NOT_FOUND' && message.includes(`'${name}'`);
    const what = isMissing ? `is not installed` : `cannot be loaded: ${message}`;
    const advice = 'run "npm install bullmq ioredis", or use another store';
    throw queueError('NSV_NO_REDIS', `redisStore needs the package "${name}", which ${what}; ${advice}`, error);
  }
}

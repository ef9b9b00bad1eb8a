// What users say about a queue and its tasks, checked. Throws TypeErrors that name the value.
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { AddOptions, QueueOptions, Store, TaskState } from '../../queue/index.cjs';

export interface QueueSettings {
  concurrency: number;
  limit: { max: number; per: number } | undefined;
  timeout: number;
  onTimeout: 'abandon' | 'exit';
  retries: number;
  backoff: { delay: number; max: number };
  keepCompleted: number;
}

const minute = 60_000;
/** A hundred years in milliseconds: the time at which it is over must be a number that every store can keep. */
const longestDelay = 100 * 365 * 24 * 60 * minute;
/** The longest that a timer of Node can be. */
const longest = 0x7fffffff;

export function queueSettingsOf(options: QueueOptions): QueueSettings {
  const {
    concurrency = 1,
    limit,
    timeout = 10 * minute,
    onTimeout = 'abandon',
    retries = 3,
    backoff = {},
    keepCompleted = 60 * minute,
  } = options;
  return {
    concurrency: integer('concurrency', concurrency, 1, 10_000),
    limit: limit && {
      max: integer('limit.max', limit.max, 1, 1_000_000),
      per: integer('limit.per', limit.per, 1, longest),
    },
    timeout: timeout === Number.POSITIVE_INFINITY ? timeout : integer('timeout', timeout, 1, longest),
    onTimeout: oneOf('onTimeout', onTimeout, ['abandon', 'exit']),
    retries: integer('retries', retries, 0, 1_000),
    backoff: {
      delay: integer('backoff.delay', backoff.delay ?? 1_000, 0, longest),
      max: integer('backoff.max', backoff.max ?? 5 * minute, 0, longest),
    },
    keepCompleted: integer('keepCompleted', keepCompleted, 0, Number.MAX_SAFE_INTEGER),
  };
}

export function queueNameOf(name: unknown): string {
  if (typeof name === 'string' && /^[\w-]{1,50}$/.test(name)) return name;
  throw new TypeError(`${inWords(name)} is not a name for a queue: use 1 to 50 letters, digits, "_" and "-"`);
}

export function addOptionsOf({ id = randomUUID(), delay = 0, priority = 0 }: AddOptions): Required<AddOptions> {
  return {
    id: taskIdOf(id),
    delay: integer('delay', delay, 0, longestDelay),
    priority: integer('priority', priority, 0, 1_000),
  };
}

/** Neither control characters nor halves of characters: stores cannot keep them all, and two ids would become one. */
export function taskIdOf(id: unknown): string {
  if (typeof id === 'string' && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(id)) return id;
  throw new TypeError(
    `${inWords(id)} is not an id for a task: use 1 to 200 characters, none of them a control character`,
  );
}

const states = ['pending', 'running', 'completed', 'failed'] satisfies TaskState[];

export function stateOf(state: unknown): TaskState {
  return oneOf('state', state, states);
}

export function limitOf(limit: unknown): number {
  return integer('limit', limit, 0, Number.MAX_SAFE_INTEGER);
}

export function storeOf(store: unknown): Store {
  if (typeof (store as Partial<Store> | null)?.claim === 'function') return store as Store;
  throw new TypeError('"store" must be a store, such as sqliteStore() returns');
}

function integer(name: string, value: unknown, from: number, to: number): number {
  if (Number.isInteger(value) && (value as number) >= from && (value as number) <= to) return value as number;
  throw new TypeError(`"${name}" must be a whole number from ${from} to ${to}, not ${inWords(value)}`);
}

function oneOf<T extends string>(name: string, value: unknown, known: readonly T[]): T {
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw new TypeError(`"${name}" must be one of ${known.join(', ')}, not ${inWords(value)}`);
}

/** On one line, whatever it is. */
function inWords(value: unknown): string {
  return inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 100 });
}

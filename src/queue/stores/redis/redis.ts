// Keeps tasks in Redis, for the processes of several machines.
import type {
  Claim,
  Claimed,
  ClaimOptions,
  NewTask,
  Outcome,
  QueueCounts,
  RedisOptions,
  RunningTask,
  Store,
  StoredTask,
  TaskState,
} from '../../../../queue/index.cjs';
import { diedError, mostDeaths } from '../../errors.ts';
import { RedisConnection } from './connection.ts';
import { batch, type ScriptName } from './scripts.ts';

const usualPrefix = 'nsv';

export function redisStore({ connection, prefix = usualPrefix }: RedisOptions): Store {
  const isGiven = typeof connection === 'string' ? connection !== '' : typeof connection === 'object' && connection;
  if (!isGiven) throw new TypeError(`"connection" must be a URL, options or a client, not ${String(connection)}`);
  if (typeof prefix !== 'string' || !/^[^{}]+$/.test(prefix))
    throw new TypeError(`"prefix" must be a text without braces, not ${JSON.stringify(prefix)}`);
  return new RedisStore(connection, prefix);
}

class RedisStore implements Store {
  readonly #connection: RedisConnection;
  readonly #prefix: string;

  constructor(connection: string | object, prefix: string) {
    this.#connection = new RedisConnection(connection);
    this.#prefix = prefix;
  }

  async add(queue: string, { id, data, delay, priority }: NewTask): Promise<boolean> {
    return (await this.#run('add', queue, id, data, delay, priority)) === 1;
  }

  async claim(queue: string, options: ClaimOptions): Promise<Claimed> {
    return claimedOf(queue, (await this.#run('claim', queue, ...claimWords(options))) as ClaimAnswer);
  }

  async renew(queue: string, claims: readonly Claim[]): Promise<RunningTask[]> {
    const words = claims.flatMap(({ id, token }) => [id, token]);
    const running = (await this.#run('renew', queue, ...words)) as [string, string, string, string][];
    return running.map(([id, token, owner, beat]) => ({ id, token: Number(token), owner, beat: Number(beat) }));
  }

  async finish(claim: Claim, outcome: Outcome): Promise<boolean> {
    return (await this.#run('finish', claim.queue, ...finishWords(claim, outcome))) === 1;
  }

  async next(claim: Claim, outcome: Outcome, options: ClaimOptions): Promise<Claimed> {
    const { queue } = claim;
    const words = [...finishWords(claim, outcome), ...claimWords(options)];
    const [, next] = (await this.#run('next', queue, ...words)) as [number, ClaimAnswer];
    return claimedOf(queue, next);
  }

  async progress({ queue, id, token }: Claim, value: string): Promise<boolean> {
    return (await this.#run('progress', queue, id, token, value)) === 1;
  }

  async release(queue: string, tasks: readonly RunningTask[]): Promise<number> {
    const words = tasks.flatMap(({ id, token, beat }) => [id, token, beat]);
    return (await this.#run('release', queue, mostDeaths, diedError, ...words)) as number;
  }

  async get(queue: string, id: string): Promise<StoredTask | undefined> {
    const hash = await this.#connection.use((client) => client.hgetall(`${this.#base(queue)}task:${id}`));
    return hash.id === undefined ? undefined : taskOf(hash);
  }

  async list(queue: string, state: TaskState, limit: number): Promise<StoredTask[]> {
    // In Redis, the last of none is the last of all.
    const tasks = limit === 0 ? [] : ((await this.#run('list', queue, state, limit)) as Fields[]);
    return tasks.map((fields) => taskOf(hashOf(fields)));
  }

  async counts(queue: string): Promise<QueueCounts> {
    const counts = (await this.#run('counts', queue)) as [number, number, number, number, number, number];
    const [pending, delayed, running, completed, failed, paused] = counts;
    return { pending: pending + delayed, running, completed, failed, paused: paused === 1 };
  }

  completedSince(queue: string, at: number): Promise<number> {
    return this.#connection.use((client) => client.zcount(`${this.#base(queue)}completed`, `(${at}`, '+inf'));
  }

  async retry(queue: string, id = ''): Promise<number> {
    // Those that fail again meanwhile are not meant.
    let until: string | number = '';
    for (let all = 0; ; ) {
      const [count, till] = (await this.#run('retry', queue, id, until)) as [number, number];
      all += count;
      if (count < batch) return all;
      until = till;
    }
  }

  async pause(queue: string, paused: boolean): Promise<void> {
    await this.#run('pause', queue, paused ? 1 : 0);
  }

  async remove(queue: string, id: string): Promise<boolean> {
    return (await this.#run('remove', queue, id)) === 1;
  }

  async removeCompleted(queue: string, age: number): Promise<void> {
    while ((await this.#run('clean', queue, age)) === batch);
  }

  watch(queue: string, changed: () => void): () => void {
    return this.#connection.listen(`${this.#base(queue)}changed`, changed);
  }

  place(): string {
    const { address } = this.#connection;
    return this.#prefix === usualPrefix ? address : `${address}, ${this.#prefix}`;
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #run(script: ScriptName, queue: string, ...values: (string | number)[]): Promise<unknown> {
    return this.#connection.run(script, this.#base(queue), ...values);
  }

  /** In a cluster, all keys of a queue are on the node that the text in braces leads to. */
  #base(queue: string): string {
    return `${this.#prefix}:{${queue}}:`;
  }
}

/** Names and values in turn. */
type Fields = readonly string[];
type Hash = Readonly<Record<string, string | undefined>>;

function hashOf(fields: Fields): Hash {
  return Object.fromEntries(fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1]]] : [])));
}

type ClaimAnswer = [retryIn: number, task?: Fields];

function claimWords({ owner, worker, concurrency, limit }: ClaimOptions): (string | number)[] {
  return [owner, worker, concurrency, limit?.max ?? 0, limit?.per ?? 0];
}

function finishWords({ id, token }: Claim, outcome: Outcome): (string | number)[] {
  const { state, result, error, delay = 0 } = outcome as Outcome & { result?: string; error?: string; delay?: number };
  return [id, token, state, result ?? error ?? '', delay];
}

function claimedOf(queue: string, [retryIn, fields]: ClaimAnswer): Claimed {
  if (!fields) return { retryIn: retryIn < 0 ? undefined : retryIn };
  const hash = hashOf(fields);
  return { claim: { queue, id: hash.id!, token: Number(hash.token) }, task: taskOf(hash) };
}

/** What its state has left behind of an earlier one does not count. */
function taskOf(hash: Hash): StoredTask {
  const { id, state, data, failures, deaths, addedAt, result, error, progress } = hash;
  return {
    id: id!,
    state: state as TaskState,
    data: data!,
    failures: Number(failures),
    deaths: Number(deaths),
    addedAt: Number(addedAt),
    ...(state === 'pending' && { dueAt: Number(hash.dueAt) }),
    ...(state === 'running' && { startedAt: Number(hash.startedAt), worker: hash.worker! }),
    ...((state === 'completed' || state === 'failed') && { finishedAt: Number(hash.finishedAt) }),
    ...(state === 'completed' && result && { result }),
    ...(error !== undefined && { error }),
    ...(progress !== undefined && { progress }),
  };
}

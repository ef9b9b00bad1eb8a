// Keeps tasks in a file of SQLite, for the processes of one machine.
import { existsSync, realpathSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type {
  Claim,
  Claimed,
  ClaimOptions,
  NewTask,
  Outcome,
  QueueCounts,
  RunningTask,
  SqliteOptions,
  Store,
  StoredTask,
  TaskState,
} from '../../../../queue/index.cjs';
import { wall } from '../../../app/clock.ts';
import { diedError, mostDeaths } from '../../errors.ts';
import { worker } from '../../owner.ts';
import { SqliteConnection } from './connection.ts';
import type { Constructor } from './driver.ts';
import { memory } from './open-file.ts';
import { type TaskRow, taskOfRow } from './row.ts';

const usualFile = 'queues.sqlite';
/** Milliseconds between two looks, where changes cannot be watched. */
const lookEvery = 500;

interface Look {
  paused: number;
  running: number;
  pending: number;
  due: number | null;
}

const look = `SELECT
  EXISTS (SELECT 1 FROM nsv_queues WHERE queue = ? AND paused) paused,
  (SELECT count(*) FROM nsv_tasks WHERE queue = ? AND state = 'running') running,
  EXISTS (SELECT 1 FROM nsv_tasks WHERE queue = ? AND state = 'pending') pending,
  (SELECT min(due_at) FROM nsv_tasks WHERE queue = ? AND state = 'delayed') due`;

const nextToken = `INSERT INTO nsv_queues (queue, token) VALUES (?, 1)
  ON CONFLICT DO UPDATE SET token = token + 1 RETURNING token`;

const take = `UPDATE nsv_tasks
  SET state = 'running', token = ?, owner = ?, worker = ?, started_at = ?, due_at = NULL
  WHERE number = (SELECT number FROM nsv_tasks WHERE queue = ? AND state = 'pending' ORDER BY priority, number LIMIT 1)
  RETURNING *`;

const ended = 'owner = NULL, worker = NULL, started_at = NULL';

const release = `UPDATE nsv_tasks SET ${ended}, deaths = deaths + 1,
  state = iif(deaths + 1 < ${mostDeaths}, 'pending', 'failed'), due_at = iif(deaths + 1 < ${mostDeaths}, ?, NULL),
  finished_at = iif(deaths + 1 < ${mostDeaths}, NULL, ?), error = iif(deaths + 1 < ${mostDeaths}, error, ?)
  WHERE queue = ? AND id = ? AND state = 'running' AND token = ? AND beat = ?`;

/** Each count goes through an index of its own, and not through the tasks. */
const counts = ['pending', 'delayed', 'running', 'completed', 'failed']
  .map((state) => `(SELECT count(*) FROM nsv_tasks WHERE queue = ? AND state = '${state}') ${state}`)
  .join(', ');

export function sqliteStore({ file, synchronous = 'normal', database }: SqliteOptions = {}): Store {
  if (synchronous !== 'normal' && synchronous !== 'full')
    throw new TypeError(`"synchronous" must be "normal" or "full", not ${String(synchronous)}`);
  if (database !== undefined && typeof database !== 'function')
    throw new TypeError(`"database" must be a class, such as that of "better-sqlite3", not ${String(database)}`);
  const path = resolve(file ?? process.env.NSV_QUEUE_FILE ?? usualFile);
  return new SqliteStore(path, new SqliteConnection(path, synchronous, database as Constructor | undefined));
}

export function memoryStore(): Store {
  return new SqliteStore(memory, new SqliteConnection(memory, 'normal'));
}

class SqliteStore implements Store {
  readonly isLocal = true;
  readonly #file: string;
  readonly #db: SqliteConnection;
  /** Queues in which a task was found last time. */
  readonly #found = new Set<string>();

  constructor(file: string, db: SqliteConnection) {
    this.#file = file;
    this.#db = db;
  }

  add(queue: string, { id, data, delay, priority }: NewTask): Promise<boolean> {
    const now = wall();
    const sql = `INSERT INTO nsv_tasks (queue, id, state, priority, data, added_at, due_at) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`;
    const values = [queue, id, delay > 0 ? 'delayed' : 'pending', priority, data, now, now + delay] as const;
    return this.#db.write(() => this.#db.run(sql, ...values) > 0);
  }

  async claim(queue: string, options: ClaimOptions): Promise<Claimed> {
    // A look needs no lock. Where a task was found last time, there is mostly another.
    if (!this.#found.has(queue)) {
      const retryIn = await this.#db.read(() => this.#look(queue, options));
      if (retryIn !== 0) return { retryIn };
    }
    const claimed = await this.#db.write(() => this.#take(queue, options));
    if ('task' in claimed) this.#found.add(queue);
    else this.#found.delete(queue);
    return claimed;
  }

  /** In how many milliseconds a task may begin: 0 for now, undefined for when something changes. */
  #look(queue: string, { concurrency, limit }: ClaimOptions): number | undefined {
    const now = wall();
    const { paused, running, pending, due } = this.#db.get<Look>(look, queue, queue, queue, queue)!;
    if (paused || running >= concurrency || (!pending && due === null)) return undefined;
    if (!pending && due! > now) return due! - now;
    if (!limit) return 0;
    // The start after which one more would be too many. Starts in the future are of a clock that was set back.
    const start = this.#db.get<{ at: number }>(
      'SELECT at FROM nsv_starts WHERE queue = ? AND at <= ? ORDER BY at DESC LIMIT 1 OFFSET ?',
      ...[queue, now, limit.max - 1],
    );
    return start ? Math.max(0, start.at + limit.per - now) : 0;
  }

  #take(queue: string, options: ClaimOptions): Claimed {
    const now = wall();
    // Others may have been quicker.
    const retryIn = this.#look(queue, options);
    if (retryIn !== 0) return { retryIn };
    const { worker, owner, limit } = options;
    this.#db.run(
      `UPDATE nsv_tasks SET state = 'pending' WHERE queue = ? AND state = 'delayed' AND due_at <= ?`,
      ...[queue, now],
    );
    if (limit) {
      this.#db.run('DELETE FROM nsv_starts WHERE queue = ? AND (at <= ? OR at > ?)', queue, now - limit.per, now);
      this.#db.run('INSERT INTO nsv_starts (queue, at) VALUES (?, ?)', queue, now);
    }
    const { token } = this.#db.get<{ token: number }>(nextToken, queue)!;
    const row = this.#db.get<TaskRow>(take, token, owner, worker, now, queue)!;
    return { claim: { queue, id: row.id, token }, task: taskOfRow(row) };
  }

  async renew(queue: string, claims: readonly Claim[]): Promise<RunningTask[]> {
    const running = `SELECT id, token, owner, beat FROM nsv_tasks WHERE queue = ? AND state = 'running'`;
    const all = () => this.#db.all<RunningTask>(running, queue);
    // Nothing is written for a queue in which nothing runs.
    if (claims.length === 0 && (await this.#db.read(all)).length === 0) return [];
    return this.#db.write(() => {
      for (const claim of claims) this.#set(claim, 'beat = beat + 1');
      return all();
    });
  }

  progress(claim: Claim, value: string): Promise<boolean> {
    return this.#db.write(() => this.#set(claim, 'progress = ?', value));
  }

  finish(claim: Claim, outcome: Outcome): Promise<boolean> {
    return this.#db.write(() => this.#finish(claim, outcome));
  }

  async next(claim: Claim, outcome: Outcome, options: ClaimOptions): Promise<Claimed> {
    return this.#db.write(() => {
      this.#finish(claim, outcome);
      return this.#take(claim.queue, options);
    });
  }

  #finish(claim: Claim, outcome: Outcome): boolean {
    const now = wall();
    const failed = `${ended}, failures = failures + 1, error = ?, state =`;
    switch (outcome.state) {
      case 'completed':
        return this.#set(
          claim,
          `${ended}, state = 'completed', finished_at = ?, result = ?`,
          now,
          outcome.result ?? null,
        );
      case 'failed':
        return this.#set(claim, `${failed} 'failed', finished_at = ?`, outcome.error, now);
      case 'retry':
        return this.#set(claim, `${failed} 'delayed', due_at = ?`, outcome.error, now + outcome.delay);
      case 'released':
        return this.#set(claim, `${ended}, state = 'pending', due_at = ?`, now);
    }
  }

  #set({ queue, id, token }: Claim, set: string, ...values: (string | number | null)[]): boolean {
    const sql = `UPDATE nsv_tasks SET ${set} WHERE queue = ? AND id = ? AND state = 'running' AND token = ?`;
    return this.#db.run(sql, ...values, queue, id, token) > 0;
  }

  release(queue: string, tasks: readonly RunningTask[]): Promise<number> {
    return this.#db.write(() => {
      const now = wall();
      const each = ({ id, token, beat }: RunningTask) =>
        this.#db.run(release, now, now, diedError, queue, id, token, beat);
      return tasks.reduce((count, task) => count + each(task), 0);
    });
  }

  async get(queue: string, id: string): Promise<StoredTask | undefined> {
    const row = await this.#db.read(() =>
      this.#db.get<TaskRow>('SELECT * FROM nsv_tasks WHERE queue = ? AND id = ?', queue, id),
    );
    return row && taskOfRow(row);
  }

  async list(queue: string, state: TaskState, limit: number): Promise<StoredTask[]> {
    const rows = (which: string, most: number) =>
      this.#db.all<TaskRow>(`SELECT * FROM nsv_tasks WHERE queue = ? AND ${which} LIMIT ?`, queue, most);
    const found = await this.#db.read(() => {
      if (state === 'running') return rows(`state = 'running' ORDER BY started_at DESC`, limit);
      if (state !== 'pending') return rows(`state = '${state}' ORDER BY finished_at DESC`, limit);
      // One after the other: in one query, SQLite would sort them all.
      const ready = rows(`state = 'pending' ORDER BY priority, number`, limit);
      return [...ready, ...rows(`state = 'delayed' ORDER BY due_at`, limit - ready.length)];
    });
    return found.map(taskOfRow);
  }

  counts(queue: string): Promise<QueueCounts> {
    return this.#db.read(() => {
      const sql = `SELECT ${counts}, EXISTS (SELECT 1 FROM nsv_queues WHERE queue = ? AND paused) paused`;
      const row = this.#db.get<Record<TaskRow['state'] | 'paused', number>>(sql, ...Array(6).fill(queue))!;
      const { pending, delayed, running, completed, failed, paused } = row;
      return { pending: pending + delayed, running, completed, failed, paused: paused > 0 };
    });
  }

  completedSince(queue: string, at: number): Promise<number> {
    const sql = `SELECT count(*) n FROM nsv_tasks WHERE queue = ? AND state = 'completed' AND finished_at > ?`;
    return this.#db.read(() => this.#db.get<{ n: number }>(sql, queue, at)!.n);
  }

  retry(queue: string, id?: string): Promise<number> {
    const set = `state = 'pending', failures = 0, deaths = 0, finished_at = NULL, due_at = ?`;
    const sql = `UPDATE nsv_tasks SET ${set} WHERE queue = ? AND state = 'failed' AND (? IS NULL OR id = ?)`;
    return this.#db.write(() => this.#db.run(sql, wall(), queue, id ?? null, id ?? null));
  }

  pause(queue: string, paused: boolean): Promise<void> {
    const sql =
      'INSERT INTO nsv_queues (queue, paused) VALUES (?, ?) ON CONFLICT DO UPDATE SET paused = excluded.paused';
    return this.#db.write(() => {
      this.#db.run(sql, queue, paused ? 1 : 0);
    });
  }

  remove(queue: string, id: string): Promise<boolean> {
    const sql = `DELETE FROM nsv_tasks WHERE queue = ? AND id = ? AND state != 'running'`;
    return this.#db.write(() => this.#db.run(sql, queue, id) > 0);
  }

  async removeCompleted(queue: string, age: number): Promise<void> {
    const which = `queue = ? AND state = 'completed' AND finished_at < ?`;
    // Little by little: others must not wait long for the lock.
    const sql = `DELETE FROM nsv_tasks WHERE number IN (SELECT number FROM nsv_tasks WHERE ${which} LIMIT 1000)`;
    const isAny = () => this.#db.get(`SELECT 1 FROM nsv_tasks WHERE ${which} LIMIT 1`, queue, wall() - age);
    while (await this.#db.read(isAny)) await this.#db.write(() => this.#db.run(sql, queue, wall() - age));
  }

  /** Each change is written to the log of SQLite first, or to the file itself if the app has it that way. */
  watch(_queue: string, changed: () => void): () => void {
    if (this.#file === memory) return this.#db.listen(changed);
    try {
      // SQLite has its log beside the file that a symbolic link leads to.
      const file = existsSync(this.#file) ? realpathSync(this.#file) : this.#file;
      const names = ['', '-wal'].map((ending) => basename(file) + ending);
      const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
        if (name !== null && names.includes(name)) changed();
      });
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      // There is no such directory yet, or the kernel has no watch left: fs.inotify.max_user_watches.
      const timer = setInterval(changed, lookEvery);
      return () => clearInterval(timer);
    }
  }

  place(): string {
    return this.#file === memory ? `the memory of ${worker}` : this.#file;
  }

  async close(): Promise<void> {
    this.#db.close();
  }
}

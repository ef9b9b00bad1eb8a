// Keeps tasks in a file of SQLite, for the processes of one machine.
import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type {
  Claim,
  Claimed,
  ClaimOptions,
  NewTask,
  Outcome,
  QueueCounts,
  SqliteOptions,
  Store,
  StoredTask,
  TaskState,
} from '../../../../queue/index.cjs';
import { wall } from '../../../app/clock.ts';
import { diedError, mostDeaths } from '../../errors.ts';
import { SqliteConnection } from './connection.ts';
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
  EXISTS (SELECT 1 FROM paused WHERE queue = ?) paused,
  (SELECT count(*) FROM tasks WHERE queue = ? AND state = 'running') running,
  EXISTS (SELECT 1 FROM tasks WHERE queue = ? AND state = 'pending') pending,
  (SELECT min(due_at) FROM tasks WHERE queue = ? AND state = 'delayed') due`;

const take = `UPDATE tasks
  SET state = 'running', token = token + 1, owner = ?, worker = ?, lease_until = ?, started_at = ?, due_at = NULL
  WHERE number = (SELECT number FROM tasks WHERE queue = ? AND state = 'pending' ORDER BY priority, number LIMIT 1)
  RETURNING *`;

export function sqliteStore({ file, synchronous = 'normal' }: SqliteOptions = {}): Store {
  if (synchronous !== 'normal' && synchronous !== 'full')
    throw new TypeError(`"synchronous" must be "normal" or "full", not ${String(synchronous)}`);
  return new SqliteStore(resolve(file ?? process.env.NSV_QUEUE_FILE ?? usualFile), synchronous);
}

class SqliteStore implements Store {
  readonly #file: string;
  readonly #db: SqliteConnection;
  /** Queues in which a task was found last time. */
  readonly #found = new Set<string>();

  constructor(file: string, synchronous: 'normal' | 'full') {
    this.#file = file;
    this.#db = new SqliteConnection(file, synchronous);
  }

  add(queue: string, { id, data, delay, priority }: NewTask): Promise<void> {
    const now = wall();
    return this.#db.write(() => {
      this.#db.run(
        `INSERT INTO tasks (queue, id, state, priority, data, added_at, due_at) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
        ...[queue, id, delay > 0 ? 'delayed' : 'pending', priority, data, now, now + delay],
      );
    });
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
    // The start after which one more would be too many.
    const start = this.#db.get<{ at: number }>(
      'SELECT at FROM starts WHERE queue = ? ORDER BY at DESC LIMIT 1 OFFSET ?',
      ...[queue, limit.max - 1],
    );
    return start ? Math.max(0, start.at + limit.per - now) : 0;
  }

  #take(queue: string, options: ClaimOptions): Claimed {
    const now = wall();
    // Others may have been quicker.
    const retryIn = this.#look(queue, options);
    if (retryIn !== 0) return { retryIn };
    const { worker, owner, lease, limit } = options;
    this.#db.run(
      `UPDATE tasks SET state = 'pending' WHERE queue = ? AND state = 'delayed' AND due_at <= ?`,
      queue,
      now,
    );
    if (limit) {
      this.#db.run('DELETE FROM starts WHERE queue = ? AND at <= ?', queue, now - limit.per);
      this.#db.run('INSERT INTO starts (queue, at) VALUES (?, ?)', queue, now);
    }
    const row = this.#db.get<TaskRow>(take, owner, worker, now + lease, now, queue);
    return { claim: { queue, id: row!.id, token: String(row!.token) }, task: taskOfRow(row!) };
  }

  renew(claim: Claim, lease: number): Promise<boolean> {
    return this.#change(claim, 'lease_until = ?', wall() + lease);
  }

  progress(claim: Claim, value: string): Promise<boolean> {
    return this.#change(claim, 'progress = ?', value);
  }

  finish(claim: Claim, outcome: Outcome): Promise<boolean> {
    const now = wall();
    const common = 'owner = NULL, worker = NULL, lease_until = NULL, started_at = NULL';
    switch (outcome.state) {
      case 'completed':
        return this.#change(
          claim,
          `${common}, state = 'completed', finished_at = ?, result = ?`,
          now,
          outcome.result ?? null,
        );
      case 'failed':
        return this.#change(
          claim,
          `${common}, state = 'failed', failures = failures + 1, finished_at = ?, error = ?`,
          ...[now, outcome.error],
        );
      case 'retry':
        return this.#change(
          claim,
          `${common}, state = 'delayed', failures = failures + 1, due_at = ?, error = ?`,
          ...[now + outcome.delay, outcome.error],
        );
      case 'released':
        return this.#change(claim, `${common}, state = 'pending', due_at = ?`, now);
    }
  }

  async #change({ queue, id, token }: Claim, set: string, ...values: (string | number | null)[]): Promise<boolean> {
    const sql = `UPDATE tasks SET ${set} WHERE queue = ? AND id = ? AND state = 'running' AND token = ?`;
    return this.#db.write(() => this.#db.run(sql, ...values, queue, id, Number(token)) > 0);
  }

  async release(queue: string, owner = ''): Promise<number> {
    const which = `queue = ? AND state = 'running' AND (owner = ? OR lease_until <= ?)`;
    const values = [queue, owner, wall()] as const;
    const isAny = await this.#db.read(() => this.#db.get(`SELECT 1 FROM tasks WHERE ${which} LIMIT 1`, ...values));
    if (!isAny) return 0;
    const sql = `UPDATE tasks SET deaths = deaths + 1, owner = NULL, worker = NULL, lease_until = NULL, started_at = NULL,
      state = iif(deaths + 1 < ${mostDeaths}, 'pending', 'failed'), due_at = iif(deaths + 1 < ${mostDeaths}, ?, NULL),
      finished_at = iif(deaths + 1 < ${mostDeaths}, NULL, ?), error = iif(deaths + 1 < ${mostDeaths}, error, ?)
      WHERE ${which}`;
    return this.#db.write(() => this.#db.run(sql, wall(), wall(), diedError, ...values));
  }

  async get(queue: string, id: string): Promise<StoredTask | undefined> {
    const row = await this.#db.read(() =>
      this.#db.get<TaskRow>('SELECT * FROM tasks WHERE queue = ? AND id = ?', queue, id),
    );
    return row && taskOfRow(row);
  }

  async list(queue: string, state: TaskState, limit: number): Promise<StoredTask[]> {
    const order = {
      pending: `state IN ('pending', 'delayed') ORDER BY state DESC, priority, number`,
      running: `state = 'running' ORDER BY started_at DESC`,
      completed: `state = 'completed' ORDER BY finished_at DESC`,
      failed: `state = 'failed' ORDER BY finished_at DESC`,
    }[state];
    const sql = `SELECT * FROM tasks WHERE queue = ? AND ${order} LIMIT ?`;
    return (await this.#db.read(() => this.#db.all<TaskRow>(sql, queue, limit))).map(taskOfRow);
  }

  counts(queue: string): Promise<QueueCounts> {
    return this.#db.read(() => {
      const sql = 'SELECT state, count(*) n FROM tasks WHERE queue = ? GROUP BY state';
      const rows = this.#db.all<{ state: string; n: number }>(sql, queue);
      const count = (...states: string[]) =>
        rows.reduce((sum, { state, n }) => sum + (states.includes(state) ? n : 0), 0);
      return {
        pending: count('pending', 'delayed'),
        running: count('running'),
        completed: count('completed'),
        failed: count('failed'),
        paused: this.#db.get('SELECT 1 FROM paused WHERE queue = ?', queue) !== undefined,
      };
    });
  }

  completedSince(queue: string, at: number): Promise<number> {
    const sql = `SELECT count(*) n FROM tasks WHERE queue = ? AND state = 'completed' AND finished_at > ?`;
    return this.#db.read(() => this.#db.get<{ n: number }>(sql, queue, at)!.n);
  }

  retry(queue: string, id?: string): Promise<number> {
    const set = `state = 'pending', failures = 0, deaths = 0, finished_at = NULL, due_at = ?`;
    const sql = `UPDATE tasks SET ${set} WHERE queue = ? AND state = 'failed' AND (? IS NULL OR id = ?)`;
    return this.#db.write(() => this.#db.run(sql, wall(), queue, id ?? null, id ?? null));
  }

  pause(queue: string, paused: boolean): Promise<void> {
    const sql = paused
      ? 'INSERT INTO paused (queue) VALUES (?) ON CONFLICT DO NOTHING'
      : 'DELETE FROM paused WHERE queue = ?';
    return this.#db.write(() => {
      this.#db.run(sql, queue);
    });
  }

  remove(queue: string, id: string): Promise<boolean> {
    const sql = `DELETE FROM tasks WHERE queue = ? AND id = ? AND state != 'running'`;
    return this.#db.write(() => this.#db.run(sql, queue, id) > 0);
  }

  async removeCompleted(queue: string, age: number): Promise<void> {
    const which = `queue = ? AND state = 'completed' AND finished_at < ?`;
    // Little by little: others must not wait long for the lock.
    const sql = `DELETE FROM tasks WHERE number IN (SELECT number FROM tasks WHERE ${which} LIMIT 1000)`;
    const isAny = () => this.#db.get(`SELECT 1 FROM tasks WHERE ${which} LIMIT 1`, queue, wall() - age);
    while (await this.#db.read(isAny)) await this.#db.write(() => this.#db.run(sql, queue, wall() - age));
  }

  /** Each change is written to the log of SQLite first. */
  watch(_queue: string, changed: () => void): () => void {
    const log = `${basename(this.#file)}-wal`;
    try {
      const watcher = watch(dirname(this.#file), { persistent: false }, (_event, name) => {
        if (name === log) changed();
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
    return this.#file;
  }

  async close(): Promise<void> {
    this.#db.close();
  }
}

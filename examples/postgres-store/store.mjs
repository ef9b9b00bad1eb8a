// A store of nsv/queue in PostgreSQL 13 or later, in the tables of tasks.sql: npm install pg
//
//   createQueue('orders', { store: postgresStore('postgres://user:password@host/database') })
//
// Each method is one statement, and so atomic. The clock is the database's: those of the machines may differ.
import pg from 'pg';

const time = (/** @type {string} */ name) => `floor(extract(epoch FROM ${name}_at) * 1000)::float8 AS "${name}At"`;

/** A task as nsv/queue wants it: JSON as text, times in milliseconds. */
const columns = `id, state, data::text, result::text, error, progress::text, failures, deaths, worker, token::float8,
  ${['added', 'due', 'started', 'finished'].map(time).join(', ')}`;

/** What only a running task has. */
const ended = 'owner = NULL, worker = NULL, started_at = NULL';

const held = `queue = $1 AND id = $2 AND state = 'running' AND token = $3`;

/** In how many milliseconds it is worth another look; NULL: when something changes. */
const look = `SELECT CASE WHEN paused OR running >= $2 OR due_at IS NULL THEN NULL
    ELSE ceil(greatest(1, 1000 * extract(epoch FROM greatest(due_at, free_at) - now())))::float8 END AS "retryIn"
  FROM (SELECT count(*) FILTER (WHERE state = 'running') AS running, min(due_at) AS due_at
    FROM tasks WHERE queue = $1 AND state IN ('pending', 'running')) AS counted
  LEFT JOIN (SELECT paused, $4::float8 * interval '1 ms' +
      (SELECT at FROM unnest(begun) AS at WHERE at <= now() ORDER BY at DESC OFFSET $3::integer - 1 LIMIT 1) AS free_at
    FROM queues WHERE queue = $1) AS known ON true`;

const diedError = '3 processes died, or did not turn their event loop, while they worked on it';

/** @returns {import('nsv/queue').Store} */
export function postgresStore(/** @type {string} */ url) {
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  // The calls reject; a connection that is lost between two calls is no problem.
  pool.on('error', () => {});
  const rows = async (/** @type {string} */ sql, /** @type {unknown[]} */ values) =>
    (await pool.query(sql, values)).rows;
  const changed = async (/** @type {string} */ sql, /** @type {unknown[]} */ values) =>
    (await pool.query(sql, values)).rowCount ?? 0;

  return {
    async add(queue, { id, data, delay, priority }) {
      const sql = `INSERT INTO tasks (queue, id, data, priority, due_at)
        VALUES ($1, $2, $3, $4, now() + $5::float8 * interval '1 ms') ON CONFLICT DO NOTHING`;
      return (await changed(sql, [queue, id, data, priority, delay])) > 0;
    },

    async claim(queue, { worker, owner, concurrency, limit }) {
      const sql = `SELECT ${columns} FROM claim_task($1, $2, $3, $4, $5, $6::float8 * interval '1 ms')`;
      const [claimed] = await rows(sql, [queue, worker, owner, concurrency, limit?.max, limit?.per]);
      if (claimed) return { claim: { queue, id: claimed.id, token: claimed.token }, task: stored(claimed) };
      const [{ retryIn }] = await rows(look, [queue, concurrency, limit?.max, limit?.per]);
      return { retryIn: retryIn ?? undefined };
    },

    async renew(queue, claims) {
      // All that runs is written to: who cannot write must not take others for dead.
      const sql = `UPDATE tasks SET beat = beat + CASE WHEN (id, token) IN (SELECT * FROM unnest($2::text[], $3::bigint[]))
        THEN 1 ELSE 0 END WHERE queue = $1 AND state = 'running' RETURNING id, token::float8, owner, beat::float8`;
      return rows(sql, [queue, claims.map(({ id }) => id), claims.map(({ token }) => token)]);
    },

    async finish({ queue, id, token }, outcome) {
      const { state, result, error, delay = 0 } = /** @type {Record<string, any>} */ (outcome);
      const isOver = state === 'completed' || state === 'failed';
      const sql = `UPDATE tasks SET ${ended}, state = $4, result = $5, error = coalesce($6, error),
        failures = failures + CASE WHEN $6 IS NULL THEN 0 ELSE 1 END,
        due_at = now() + $7::float8 * interval '1 ms', finished_at = CASE WHEN $7 IS NULL THEN now() END
        WHERE ${held}`;
      // A text of PostgreSQL cannot have this character.
      const text = error?.replaceAll('\0', '');
      const values = [isOver ? state : 'pending', result, text, isOver ? null : delay];
      return (await changed(sql, [queue, id, token, ...values])) > 0;
    },

    async progress({ queue, id, token }, value) {
      const sql = `UPDATE tasks SET progress = $4 WHERE ${held}`;
      return (await changed(sql, [queue, id, token, value])) > 0;
    },

    release(queue, tasks) {
      const sql = `UPDATE tasks SET ${ended}, deaths = deaths + 1,
        state = CASE WHEN deaths < 2 THEN 'pending' ELSE 'failed' END,
        due_at = CASE WHEN deaths < 2 THEN now() END,
        finished_at = CASE WHEN deaths < 2 THEN NULL ELSE now() END,
        error = CASE WHEN deaths < 2 THEN error ELSE $2 END
        WHERE queue = $1 AND state = 'running'
          AND (id, token, beat) IN (SELECT * FROM unnest($3::text[], $4::bigint[], $5::bigint[]))`;
      const of = (/** @type {'id' | 'token' | 'beat'} */ name) => tasks.map((task) => task[name]);
      return changed(sql, [queue, diedError, of('id'), of('token'), of('beat')]);
    },

    async get(queue, id) {
      const [task] = await rows(`SELECT ${columns} FROM tasks WHERE queue = $1 AND id = $2`, [queue, id]);
      return task && stored(task);
    },

    async list(queue, state, limit) {
      const sql = `SELECT ${columns} FROM tasks WHERE queue = $1 AND state = $2
        ORDER BY due_at > now(), greatest(started_at, finished_at) DESC, priority, number LIMIT $3`;
      return (await rows(sql, [queue, state, limit])).map(stored);
    },

    async counts(queue) {
      const sql = `SELECT (count(*) FILTER (WHERE state = 'pending'))::integer AS pending,
        (count(*) FILTER (WHERE state = 'running'))::integer AS running,
        (count(*) FILTER (WHERE state = 'completed'))::integer AS completed,
        (count(*) FILTER (WHERE state = 'failed'))::integer AS failed,
        EXISTS (SELECT FROM queues WHERE queue = $1 AND paused) AS paused
        FROM tasks WHERE queue = $1`;
      return (await rows(sql, [queue]))[0];
    },

    async completedSince(queue, at) {
      const sql = `SELECT count(*)::integer AS n FROM tasks
        WHERE queue = $1 AND state = 'completed' AND date_trunc('milliseconds', finished_at) > $2`;
      return (await rows(sql, [queue, new Date(at)]))[0].n;
    },

    retry(queue, id) {
      const sql = `UPDATE tasks SET state = 'pending', failures = 0, deaths = 0, finished_at = NULL, due_at = now()
        WHERE queue = $1 AND state = 'failed' AND ($2::text IS NULL OR id = $2)`;
      return changed(sql, [queue, id]);
    },

    async pause(queue, paused) {
      const sql = 'INSERT INTO queues (queue, paused) VALUES ($1, $2) ON CONFLICT (queue) DO UPDATE SET paused = $2';
      await changed(sql, [queue, paused]);
    },

    async remove(queue, id) {
      const sql = `DELETE FROM tasks WHERE queue = $1 AND id = $2 AND state <> 'running'`;
      return (await changed(sql, [queue, id])) > 0;
    },

    async removeCompleted(queue, age) {
      const sql = `DELETE FROM tasks
        WHERE queue = $1 AND state = 'completed' AND finished_at < now() - $2::float8 * interval '1 ms'`;
      await changed(sql, [queue, age]);
    },

    watch: (queue, tell) => listen(url, queue, tell),
    place: () => new URL(url).host + new URL(url).pathname,
    close: () => pool.end(),
  };
}

/**
 * Without what is NULL.
 * @returns {any}
 */
function stored(/** @type {object} */ row) {
  const { token: _, ...task } = /** @type {any} */ (row);
  return Object.fromEntries(Object.entries(task).filter(([, value]) => value !== null));
}

/**
 * Calls `tell` when the database tells of the queue. Returns how to end that.
 * @type {(url: string, queue: string, tell: () => void) => () => void}
 */
function listen(url, queue, tell) {
  /** @type {pg.Client} */
  let client;
  /** @type {NodeJS.Timeout} */
  let again;
  const begin = () => {
    client = new pg.Client({ connectionString: url });
    client.on('notification', ({ payload }) => payload === queue && tell());
    client.on('error', () => {});
    client.on('end', () => {
      again = setTimeout(begin, 1_000);
    });
    const told = client.connect().then(() => client.query('LISTEN tasks'));
    // Something may have changed until then.
    told.then(tell, () => {});
  };
  begin();
  return () => {
    client.removeAllListeners('end');
    clearTimeout(again);
    client.end().catch(() => {});
  };
}

-- The tables of store.mjs: psql -f tasks.sql. Add columns of your own to `tasks`, as long as they have defaults.
CREATE TABLE tasks (
  queue text NOT NULL,
  id text NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'completed', 'failed')),
  priority integer NOT NULL,
  data json NOT NULL,
  result json,
  error text,
  progress json,
  failures integer NOT NULL DEFAULT 0,
  deaths integer NOT NULL DEFAULT 0,
  added_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  -- Of the process that works on it.
  token uuid,
  owner text,
  worker text,
  lease_until timestamptz,
  PRIMARY KEY (queue, id)
);
CREATE INDEX tasks_next ON tasks (queue, priority, number) WHERE state = 'pending';
CREATE INDEX tasks_running ON tasks (queue) WHERE state = 'running';
CREATE INDEX tasks_finished ON tasks (queue, state, finished_at);

-- What is known of a queue as a whole. It need not have a row.
CREATE TABLE queues (
  queue text PRIMARY KEY,
  paused boolean NOT NULL DEFAULT false,
  -- When the last tasks began, as many as its `limit` counts.
  begun timestamptz[] NOT NULL DEFAULT '{}'
);

-- The task whose turn it is, claimed; no row if none may begin. `most` tasks may begin within `per`; both are NULL without a limit.
CREATE FUNCTION claim_task(
  of text, worker_name text, owner_name text, lease interval, concurrency integer, most integer, per interval
) RETURNS SETOF tasks LANGUAGE plpgsql AS $$
DECLARE moment timestamptz;
BEGIN
  -- One claim of a queue at a time, until the end of this transaction. Each statement after this one sees what the claims before have changed.
  PERFORM pg_advisory_xact_lock('tasks'::regclass::integer, hashtext(of));
  moment := clock_timestamp();
  IF (SELECT paused OR begun[cardinality(begun) - most + 1] > moment - per FROM queues WHERE queue = of)
    OR (SELECT count(*) FROM tasks WHERE queue = of AND state = 'running') >= concurrency
  THEN
    RETURN;
  END IF;
  RETURN QUERY UPDATE tasks
    SET state = 'running', token = gen_random_uuid(), owner = owner_name, worker = worker_name,
      started_at = moment, lease_until = moment + lease, due_at = NULL
    WHERE queue = of AND id = (
      SELECT id FROM tasks WHERE queue = of AND state = 'pending' AND due_at <= moment
      ORDER BY priority, number LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING *;
  IF FOUND AND most IS NOT NULL THEN
    INSERT INTO queues AS known (queue, begun) VALUES (of, ARRAY[moment])
      ON CONFLICT (queue) DO UPDATE SET begun = (known.begun || moment)[greatest(1, cardinality(known.begun) + 2 - most):];
  END IF;
END $$;

-- Tells who waits, also of changes that are made by hand.
CREATE FUNCTION tell_of_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('tasks', NEW.queue);
  RETURN NULL;
END $$;
CREATE TRIGGER tasks_changed AFTER INSERT OR UPDATE OF state ON tasks
  FOR EACH ROW WHEN (NEW.state <> 'running') EXECUTE FUNCTION tell_of_task();
CREATE TRIGGER queues_changed AFTER UPDATE OF paused ON queues FOR EACH ROW EXECUTE FUNCTION tell_of_task();

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
  -- Of the last attempt.
  token bigint NOT NULL DEFAULT 0,
  -- The process that works on it, and a number that grows as long as it lives.
  owner text,
  worker text,
  beat bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (queue, id)
);
CREATE INDEX tasks_next ON tasks (queue, priority, number) WHERE state = 'pending';
CREATE INDEX tasks_running ON tasks (queue) WHERE state = 'running';
CREATE INDEX tasks_finished ON tasks (queue, state, finished_at);

-- What is known of a queue as a whole. It need not have a row.
CREATE TABLE queues (
  queue text PRIMARY KEY,
  paused boolean NOT NULL DEFAULT false,
  -- Of the last claim.
  token bigint NOT NULL DEFAULT 0,
  -- When the last tasks began, as many as its `limit` counts.
  begun timestamptz[] NOT NULL DEFAULT '{}'
);

-- The task whose turn it is, claimed; no row if none may begin. `most` tasks may begin within `per`; both are NULL without a limit.
CREATE FUNCTION claim_task(
  of text, worker_name text, owner_name text, concurrency integer, most integer, per interval
) RETURNS SETOF tasks LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  known queues;
  starts timestamptz[];
BEGIN
  -- One claim of a queue at a time, until the end of this transaction. Each statement after this one sees what the claims before have changed.
  PERFORM pg_advisory_xact_lock('tasks'::regclass::integer, hashtext(of));
  moment := clock_timestamp();
  SELECT * INTO known FROM queues WHERE queue = of;
  -- A clock that was set back has left starts in the future.
  starts := ARRAY(SELECT at FROM unnest(known.begun) AS at WHERE at > moment - per AND at <= moment ORDER BY at);
  IF known.paused OR cardinality(starts) >= most
    OR (SELECT count(*) FROM tasks WHERE queue = of AND state = 'running') >= concurrency
  THEN
    RETURN;
  END IF;
  RETURN QUERY UPDATE tasks
    SET state = 'running', token = coalesce(known.token, 0) + 1, owner = owner_name, worker = worker_name,
      started_at = moment, due_at = NULL
    WHERE queue = of AND id = (
      SELECT id FROM tasks WHERE queue = of AND state = 'pending' AND due_at <= moment
      ORDER BY priority, number LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING *;
  IF FOUND THEN
    INSERT INTO queues (queue, token, begun) VALUES (of, 1, ARRAY[moment])
      ON CONFLICT (queue) DO UPDATE SET token = queues.token + 1, begun = starts || moment;
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

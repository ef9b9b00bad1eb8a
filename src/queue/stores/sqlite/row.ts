// A task as a row of the table.
import type { StoredTask, TaskState } from '../../../../queue/index.cjs';

export interface TaskRow {
  id: string;
  state: TaskState | 'delayed';
  data: string;
  result: string | null;
  error: string | null;
  progress: string | null;
  failures: number;
  deaths: number;
  added_at: number;
  due_at: number | null;
  started_at: number | null;
  finished_at: number | null;
  token: number;
  worker: string | null;
}

export function taskOfRow(row: TaskRow): StoredTask {
  return {
    id: row.id,
    state: row.state === 'delayed' ? 'pending' : row.state,
    data: row.data,
    failures: row.failures,
    deaths: row.deaths,
    addedAt: row.added_at,
    ...(row.result !== null && { result: row.result }),
    ...(row.error !== null && { error: row.error }),
    ...(row.progress !== null && { progress: row.progress }),
    ...(row.due_at !== null && { dueAt: row.due_at }),
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.worker !== null && { worker: row.worker }),
    ...(row.finished_at !== null && { finishedAt: row.finished_at }),
  };
}

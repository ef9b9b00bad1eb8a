// What a process tells about a queue. It runs user code: what does not fit is refused, and what is too much is left out.
import type { QueueCountsView, QueueTaskView } from '../../ipc/app/views.ts';
import { fieldsIn, InvalidAnswer, integerOf, listIn, textIn } from '../insight.ts';

export interface QueueFigures {
  counts: QueueCountsView;
  perMinute: number | null;
}

export type QueueTasks = Record<'running' | 'failed' | 'pending', QueueTaskView[]>;

/** Characters of an answer. */
export const longestAnswer = 64 * 1024;
/** Of each kind. */
const mostTasks = 50;
/** Characters. */
const longestText = 200;

/** Throws InvalidAnswer, as the others do. */
export function parseFigures(input: unknown): QueueFigures {
  const { counts, perMinute } = fieldsIn(input);
  const { pending, running, completed, failed, paused } = fieldsIn(counts);
  return {
    counts: {
      pending: count(pending),
      running: count(running),
      completed: count(completed),
      failed: count(failed),
      paused: paused === true,
    },
    perMinute: perMinute === null ? null : count(perMinute),
  };
}

export function parseTasks(input: unknown): QueueTasks {
  const { running, failed, pending } = fieldsIn(input);
  return { running: tasks(running), failed: tasks(failed), pending: tasks(pending) };
}

export function parseChanged(input: unknown): number {
  return count(fieldsIn(input).changed);
}

function tasks(input: unknown): QueueTaskView[] {
  return listIn(input).slice(0, mostTasks).map(task);
}

function task(input: unknown): QueueTaskView {
  const { id, attempts, dueAt, startedAt, finishedAt, worker, progress, error } = fieldsIn(input);
  return {
    id: text(id),
    attempts: count(attempts),
    ...(dueAt !== undefined && { dueAt: moment(dueAt) }),
    ...(startedAt !== undefined && { startedAt: moment(startedAt) }),
    ...(finishedAt !== undefined && { finishedAt: moment(finishedAt) }),
    ...(worker !== undefined && { worker: text(worker) }),
    ...(progress !== undefined && { progress: text(progress) }),
    ...(error !== undefined && { error: text(error) }),
  };
}

function count(value: unknown): number {
  return integerOf(value, 0);
}

function moment(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new InvalidAnswer('its answer is invalid');
}

function text(value: unknown): string {
  return textIn(value, longestText);
}

// What a process tells about a queue. It runs user code: what does not fit is refused, and what is too much is left out.
import type { QueueCountsView, QueueTaskView } from '../../ipc/app/views.ts';
import { array, isTrue, natural, orAbsent, orNull, record, type Shape, shortened, time } from '../../shared/shapes.ts';
import { answerAs } from '../insight.ts';

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

const text = shortened(longestText);

const figures: Shape<QueueFigures> = record({
  counts: record<QueueCountsView>({
    pending: natural,
    running: natural,
    completed: natural,
    failed: natural,
    paused: isTrue,
  }),
  perMinute: orNull(natural),
});

const task: Shape<Omit<QueueTaskView, 'process'>> = record({
  id: text,
  attempts: natural,
  dueAt: orAbsent(time),
  startedAt: orAbsent(time),
  finishedAt: orAbsent(time),
  worker: orAbsent(text),
  progress: orAbsent(text),
  error: orAbsent(text),
});

const tasks: Shape<QueueTaskView[]> = (value, name) => array(task)(value, name).slice(0, mostTasks);

/** Throws InvalidAnswer, as the others do. */
export function parseFigures(answer: unknown): QueueFigures {
  return answerAs(figures, answer);
}

export function parseTasks(answer: unknown): QueueTasks {
  return answerAs<QueueTasks>(record({ running: tasks, failed: tasks, pending: tasks }), answer);
}

export function parseChanged(answer: unknown): number {
  return answerAs<{ changed: number }>(record({ changed: natural }), answer).changed;
}

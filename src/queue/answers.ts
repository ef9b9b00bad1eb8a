// What a process tells `nsv queue` about a queue, and does for it. The answer is small whatever the tasks are: their data and results stay
// here.
import type { QueueCounts, Store, StoredTask } from '../../queue/index.cjs';
import { wall } from '../app/clock.ts';
import type { QueueTaskView } from '../ipc/app/views.ts';
import type { QueueQuestion } from '../ipc/questions.ts';
import { attemptsOf } from './task.ts';

interface Figures {
  counts: QueueCounts;
  perMinute: number | null;
}

type Tasks = Record<'running' | 'failed' | 'pending', QueueTaskView[]>;

/** 50 together. */
const most = { running: 20, failed: 15, pending: 15 };
/** Characters of each text. */
const longest = 200;
/** Characters of the answer as JSON. */
const mostCharacters = 60_000;

export type QueueReply = Figures | (Figures & Tasks) | { changed: number };

export async function answerQuestion(
  store: Store,
  { name, act, task }: Omit<QueueQuestion, 'kind'>,
): Promise<QueueReply> {
  switch (act) {
    case 'count':
      return figuresOf(store, name);
    case 'look':
      return fitting({ ...(await figuresOf(store, name)), ...(await tasksOf(store, name)) });
    case 'retry':
      return { changed: await store.retry(name, task) };
    case 'remove':
      return { changed: task !== undefined && (await store.remove(name, task)) ? 1 : 0 };
    case 'pause':
    case 'resume':
      await store.pause(name, act === 'pause');
      return { changed: 0 };
  }
}

async function figuresOf(store: Store, name: string): Promise<Figures> {
  const { pending, running, completed, failed, paused } = await store.counts(name);
  const perMinute = (await store.completedSince?.(name, wall() - 60_000)) ?? null;
  return { counts: { pending, running, completed, failed, paused }, perMinute };
}

async function tasksOf(store: Store, name: string): Promise<Tasks> {
  const list = async (state: keyof Tasks) => (await store.list(name, state, most[state])).map(viewOf);
  return { running: await list('running'), failed: await list('failed'), pending: await list('pending') };
}

function viewOf(task: StoredTask): QueueTaskView {
  const { id, dueAt, startedAt, finishedAt, worker, progress, error } = task;
  return {
    id: cut(id),
    attempts: attemptsOf(task),
    ...(dueAt !== undefined && { dueAt }),
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...(worker !== undefined && { worker: cut(worker) }),
    ...(progress !== undefined && { progress: cut(progress) }),
    ...(error !== undefined && { error: cut(error.split('\n')[0] ?? '') }),
  };
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** Without so many tasks that it is short enough: as JSON, a character can take six. */
function fitting<T extends Tasks>(reply: T): T {
  if (JSON.stringify(reply).length <= mostCharacters) return reply;
  const { running, failed, pending } = reply;
  const half = (tasks: QueueTaskView[]) => tasks.slice(0, Math.floor(tasks.length / 2));
  return fitting({ ...reply, running: half(running), failed: half(failed), pending: half(pending) });
}

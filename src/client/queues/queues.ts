// The queues that processes have opened with `nsv/queue`: the daemon knows who has which, and one process of each is asked about it.
import { hostname } from 'node:os';
import type { OpenedQueueView, QueueDetailsView, QueueTaskView, QueueView } from '../../ipc/app/views.ts';
import type { Connection } from '../../ipc/client.ts';
import type { Client } from '../../ipc/protocol.ts';
import type { QueueAct } from '../../ipc/questions.ts';
import type { AppView, ProcessView } from '../../ipc/views.ts';
import type { Clock } from '../../shared/clock.ts';
import { failure, isFailure } from '../../shared/errors.ts';
import { type Insight, InvalidAnswer, withInsight } from '../insight.ts';
import { longestAnswer, parseChanged, parseFigures, parseTasks, type QueueTasks } from './parse.ts';

export interface QueueDaemon {
  client: Pick<Client, 'queues'>;
  /** Opens a connection of its own for the questions. */
  open(): Promise<Connection>;
}

export interface WhichQueue {
  name: string;
  /** Needed if several apps have queues of this name in different stores. */
  app?: string | undefined;
}

/** All, with their counts. */
export async function viewQueues({ client, open }: QueueDaemon): Promise<QueueView[]> {
  const queues = await client.queues({});
  if (queues.length === 0) return [];
  return withInsight(open, (insight) => Promise.all(queues.map((queue) => viewOf(insight, queue))));
}

type OfApp<T> = T & { queues?: Omit<QueueView, 'processes'>[] };

/** Adds `queues` to apps whose processes have opened some. Nobody is asked where there are none. */
export async function withQueues<T extends Pick<AppView, 'spec' | 'processes'>>(
  apps: readonly T[],
  daemon: QueueDaemon,
): Promise<OfApp<T>[]> {
  if (!hasQueues(apps.flatMap(({ processes }) => processes))) return [...apps];
  const queues = await viewQueues(daemon);
  return apps.map((app) => {
    const own = queues.filter(({ processes }) => processes.some((process) => process.app === app.spec.name));
    return own.length === 0 ? app : { ...app, queues: own.map(({ processes: _, ...queue }) => queue) };
  });
}

export function hasQueues(processes: readonly Pick<ProcessView, 'queues'>[]): boolean {
  return processes.some(({ queues }) => queues !== undefined);
}

/** Rejects with NO_SUCH_QUEUE, SEVERAL_QUEUES or QUEUE_SILENT. */
export async function countQueue(daemon: QueueDaemon, which: WhichQueue): Promise<QueueView> {
  const { queue, value } = await askAbout(daemon, which, { act: 'count' }, parseFigures);
  return { ...queue, ...value };
}

/** Rejects like `countQueue`. */
export async function viewQueue(daemon: QueueDaemon, which: WhichQueue): Promise<QueueDetailsView> {
  const parse = (value: unknown) => ({ ...parseFigures(value), ...parseTasks(value) });
  const { queue, value } = await askAbout(daemon, which, { act: 'look' }, parse);
  return { ...queue, ...value, running: placed(value, queue) };
}

/** Returns how many tasks it has changed. Rejects like `countQueue`. */
export async function changeQueue(
  daemon: QueueDaemon,
  which: WhichQueue,
  change: { act: Exclude<QueueAct, 'count' | 'look'>; task?: string | undefined },
): Promise<number> {
  return (await askAbout(daemon, which, change, parseChanged)).value;
}

/** Throws NO_SUCH_QUEUE or SEVERAL_QUEUES. */
export function chosenQueue(queues: readonly OpenedQueueView[], { name, app }: WhichQueue): OpenedQueueView {
  const isOfApp = ({ processes }: OpenedQueueView) => app === undefined || processes.some((each) => each.app === app);
  const found = queues.filter((queue) => queue.name === name && isOfApp(queue));
  const [first, ...others] = found;
  if (!first) throw failure('NO_SUCH_QUEUE', { queue: name });
  if (others.length > 0) throw failure('SEVERAL_QUEUES', { queue: name, which: found.map(whoAndWhere) });
  return first;
}

/** The apps that have opened a queue. */
function appsOf({ processes }: OpenedQueueView): string[] {
  return [...new Set(processes.map(({ app }) => app))].sort();
}

function whoAndWhere(queue: OpenedQueueView): string {
  return `of ${appsOf(queue).join(' and ')} in ${queue.place || 'an unnamed place'}`;
}

async function viewOf(insight: Insight, queue: OpenedQueueView): Promise<QueueView> {
  const answer = await askAny(insight, queue, { act: 'count' }, parseFigures);
  if ('value' in answer) return { ...queue, ...answer.value };
  return { ...queue, counts: null, perMinute: null, problem: answer.problem };
}

async function askAbout<T>(
  { client, open }: QueueDaemon,
  which: WhichQueue,
  what: { act: QueueAct; task?: string | undefined },
  parse: (value: unknown) => T,
): Promise<{ queue: OpenedQueueView; value: T }> {
  const queue = chosenQueue(await client.queues({}), which);
  const { app } = which;
  const processes = queue.processes.filter((process) => app === undefined || process.app === app);
  const answer = await withInsight(open, (insight) => askAny(insight, { ...queue, processes }, what, parse));
  if ('problem' in answer) throw failure('QUEUE_SILENT', { queue: which.name, reason: answer.problem });
  return { queue, value: answer.value };
}

/** Running tasks with the instance that works on each, if it is one of this daemon. */
function placed({ running }: QueueTasks, { processes }: OpenedQueueView): QueueTaskView[] {
  const here = hostname();
  return running.map((task) => {
    const process = processes.find(({ pid }) => task.worker === `${here}:${pid}`);
    return process ? { ...task, process: { app: process.app, slot: process.slot } } : task;
  });
}

/** Milliseconds for one process to take the question up, and to answer it. */
const timeout = 2_000;

type Answer<T> = { value: T } | { problem: string };

/**
 * Asks the processes one after the other, until one of them answers: each knows the whole queue. `parse` throws InvalidAnswer. Rejects with
 * an error of the connection.
 */
async function askAny<T>(
  insight: Insight,
  { name, place, processes }: OpenedQueueView,
  { act, task }: { act: QueueAct; task?: string | undefined },
  parse: (value: unknown) => T,
): Promise<Answer<T>> {
  let problem = 'all of them have ended';
  const question = { kind: 'queue', name, place, act, ...(task !== undefined && { task }) } as const;
  for (const { app, slot, id, pid } of idleFirst(processes)) {
    try {
      const limits = { pid, timeout, time: timeout, longest: longestAnswer };
      const answer = await insight.ask(id, question, limits);
      if (answer.answered) return { value: parse(answer.value) };
      problem = `instance ${slot} of "${app}" did not answer within ${timeout / 1_000} s`;
    } catch (error) {
      problem = problemOf(error, app, slot);
    }
  }
  return { problem };
}

/** Who works on a task may be busy with it. */
function idleFirst(processes: OpenedQueueView['processes']): OpenedQueueView['processes'] {
  return [...processes].sort((one, other) => Number(one.works) - Number(other.works));
}

/** Throws what is not about the process. */
function problemOf(error: unknown, app: string, slot: number): string {
  if (error instanceof InvalidAnswer) return `instance ${slot} of "${app}": ${error.message}`;
  if (!isFailure(error, 'CANNOT_INSPECT', 'NO_SUCH_APP')) throw error;
  return error.message.replace(`"${app}" cannot be inspected: `, `instance ${slot} of "${app}": `);
}

/** Milliseconds between two looks. */
const lookEvery = 1_000;
/** Looks in a row that may fail: while its only process is replaced, nobody has the queue. */
const mostMisses = 15;

/** Resolves when no task is pending or running. Rejects with QUEUE_PAUSED, and as `look` does. */
export async function drained(
  look: () => Promise<QueueView>,
  report: (text: string) => void,
  clock: Pick<Clock, 'after'>,
): Promise<void> {
  let misses = mostMisses;
  for (;;) {
    const view = await look().catch((error: unknown) => {
      misses += 1;
      if (misses > mostMisses || !isFailure(error, 'NO_SUCH_QUEUE', 'QUEUE_SILENT')) throw error;
      return undefined;
    });
    if (view?.counts) {
      misses = 0;
      const { pending, running, paused } = view.counts;
      if (pending + running === 0) return;
      if (paused && running === 0) throw failure('QUEUE_PAUSED', { queue: view.name, pending });
      report(`waiting for the queue "${view.name}": ${pending} pending, ${running} running`);
    }
    await new Promise<void>((resolve) => {
      clock.after(lookEvery, resolve);
    });
  }
}

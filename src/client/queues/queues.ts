// The queues that processes have opened with `nsv/queue`: the daemon knows who has which, and one process of each is asked about it.
import { hostname } from 'node:os';
import type { OpenedQueueView, QueueDetailsView, QueueTaskView, QueueView } from '../../ipc/app/views.ts';
import type { Connection } from '../../ipc/client.ts';
import type { Client } from '../../ipc/protocol.ts';
import type { QueueAct } from '../../ipc/questions.ts';
import type { AppView, ProcessView } from '../../ipc/views.ts';
import { failure } from '../../shared/errors.ts';
import { type Insight, openInsight } from '../insight.ts';
import { askAny } from './ask.ts';
import { parseChanged, parseFigures, parseTasks, type QueueTasks } from './parse.ts';

export interface Daemon {
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
export async function viewQueues({ client, open }: Daemon): Promise<QueueView[]> {
  const queues = await client.queues({});
  if (queues.length === 0) return [];
  return withInsight(open, (insight) => Promise.all(queues.map((queue) => viewOf(insight, queue))));
}

type OfApp<T> = T & { queues?: Omit<QueueView, 'processes'>[] };

/** Adds `queues` to apps whose processes have opened some. Nobody is asked where there are none. */
export async function withQueues<T extends Pick<AppView, 'spec' | 'processes'>>(
  apps: readonly T[],
  daemon: Daemon,
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
export async function countQueue(daemon: Daemon, which: WhichQueue): Promise<QueueView> {
  const { queue, value } = await askAbout(daemon, which, { act: 'count' }, parseFigures);
  return { ...queue, ...value };
}

/** Rejects like `countQueue`. */
export async function viewQueue(daemon: Daemon, which: WhichQueue): Promise<QueueDetailsView> {
  const parse = (value: unknown) => ({ ...parseFigures(value), ...parseTasks(value) });
  const { queue, value } = await askAbout(daemon, which, { act: 'look' }, parse);
  return { ...queue, ...value, running: placed(value, queue) };
}

/** Returns how many tasks it has changed. Rejects like `countQueue`. */
export async function changeQueue(
  daemon: Daemon,
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
export function appsOf({ processes }: OpenedQueueView): string[] {
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
  { client, open }: Daemon,
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

async function withInsight<T>(open: Daemon['open'], job: (insight: Insight) => Promise<T>): Promise<T> {
  const insight = await openInsight(open);
  try {
    return await job(insight);
  } finally {
    insight.close();
  }
}

/** Running tasks with the instance that works on each, if it is one of this daemon. */
function placed({ running }: QueueTasks, { processes }: OpenedQueueView): QueueTaskView[] {
  const here = hostname();
  return running.map((task) => {
    const process = processes.find(({ pid }) => task.worker === `${here}:${pid}`);
    return process ? { ...task, process: { app: process.app, slot: process.slot } } : task;
  });
}

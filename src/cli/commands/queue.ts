import {
  changeQueue,
  countQueue,
  drained,
  type QueueDaemon,
  viewQueue,
  viewQueues,
  type WhichQueue,
} from '../../client/queues/queues.ts';
import type { QueueAct } from '../../ipc/questions.ts';
import { realClock } from '../../shared/clock.ts';
import { failure } from '../../shared/errors.ts';
import { type Command, type Context, type Input, jsonOption, type OptionRow } from '../command.ts';
import { printEither, printPainted } from '../print.ts';
import { renderQueue, renderQueues } from '../render/table/queues.ts';

const nameArgument = ['<queue>', 'name of a queue'] as const;
const options: OptionRow[] = [
  ['--app <name>', 'ask processes of this app only; needed if several apps have queues of this name'],
  jsonOption,
];

export const queue: Command = {
  summary: 'lists the queues of apps, or shows one with its tasks',
  notes: `"nsv queue retry", "nsv queue pause", "nsv queue resume", "nsv queue drain" and "nsv queue remove" act on a queue.

A queue is what a Node app opens with createQueue() of "nsv/queue". The daemon does not read where it is kept: it knows which running
processes have opened it, and one of them tells. One that does not answer within 2 s is passed over for the next. "last min" is
the number of tasks that were completed within the last minute and are still kept. Neither data nor results of tasks are shown.`,
  arguments: [['[queue]', 'name of a queue (default: a table of all)']],
  options,
  examples: [
    ['nsv queue', 'all queues, with the number of their tasks'],
    ['nsv queue exports', 'what runs, what has failed and what is next'],
  ],
  async run(context, input) {
    const { out } = context;
    const daemon = await daemonOf(context);
    if (input.words[0] === undefined) {
      if (input.options.app !== undefined) throw failure('BAD_USAGE', { detail: '--app needs the name of a queue' });
      const views = await viewQueues(daemon);
      return printPainted(out, views, (paint) => renderQueues(views, out.terminal, paint));
    }
    const view = await viewQueue(daemon, whichOf(input));
    await printPainted(out, view, (paint) => renderQueue(view, realClock.wall(), out.terminal, paint));
  },
};

export const retryTasks: Command = {
  summary: 'makes failed tasks of a queue pending again, with all their attempts',
  arguments: [nameArgument, ['[id]', 'id of one task (default: all that have failed)']],
  options,
  examples: [
    ['nsv queue retry exports', 'all failed tasks'],
    ['nsv queue retry exports report-7', 'one of them'],
  ],
  async run(context, input) {
    const task = taskOf(input);
    const changed = await change(context, input, 'retry', task);
    const { name } = whichOf(input);
    if (changed === 0 && task !== undefined) throw failure('NO_SUCH_TASK', { queue: name, task, what: 'failed task' });
    const tasks = changed === 1 ? '1 task of' : `${changed} tasks of`;
    printChange(
      context,
      input,
      changed,
      changed === 0 ? `no task of "${name}" has failed` : `retrying ${tasks} "${name}"`,
    );
  },
};

export const pauseQueue: Command = {
  summary: 'keeps processes from beginning further tasks of a queue; running tasks are finished',
  notes: 'It lasts until "nsv queue resume", whatever is restarted meanwhile. Tasks can be added.',
  arguments: [nameArgument],
  options,
  examples: [['nsv queue pause exports', 'for example while a service that the tasks need is down']],
  async run(context, input) {
    await change(context, input, 'pause');
    printChange(context, input, 0, `paused "${whichOf(input).name}"`);
  },
};

export const resumeQueue: Command = {
  summary: 'lets processes begin tasks of a paused queue again',
  arguments: [nameArgument],
  options,
  examples: [['nsv queue resume exports', 'after "nsv queue pause exports"']],
  async run(context, input) {
    await change(context, input, 'resume');
    printChange(context, input, 0, `resumed "${whichOf(input).name}"`);
  },
};

export const drainQueue: Command = {
  summary: 'waits until no task of a queue is pending or running',
  notes: `It removes nothing, unlike the method of this name in BullMQ, and stops nobody from adding tasks. It also waits for tasks that are
delayed, or due for another attempt. If the queue is paused, it waits for those that run, and fails if others are left: exit code 7.
Ctrl-C ends the wait.`,
  arguments: [nameArgument],
  options,
  examples: [['nsv queue drain exports && nsv stop worker', 'stop an app when its work is done']],
  async run(context, input) {
    const daemon = await daemonOf(context);
    const which = whichOf(input);
    await drained(() => countQueue(daemon, which), context.out.progress, realClock);
    printChange(context, input, 0, `no task of "${which.name}" is pending or running`);
  },
};

export const removeTask: Command = {
  summary: 'removes a task of a queue that does not run',
  arguments: [nameArgument, ['<id>', 'id of the task']],
  options,
  examples: [['nsv queue remove exports report-7', 'a task that nobody needs any more']],
  async run(context, input) {
    const task = taskOf(input) ?? '';
    const { name } = whichOf(input);
    const changed = await change(context, input, 'remove', task);
    if (changed === 0) throw failure('NO_SUCH_TASK', { queue: name, task, what: 'pending, failed or completed task' });
    printChange(context, input, changed, `removed "${task}" of "${name}"`);
  },
};

async function daemonOf(context: Context): Promise<QueueDaemon> {
  return { client: await context.connect(), open: () => context.open() };
}

function whichOf({ words: [name = ''], options: { app } }: Input): WhichQueue {
  return { name, app: typeof app === 'string' ? app : undefined };
}

/** Throws BAD_USAGE. */
function taskOf({ words: [, id] }: Input): string | undefined {
  if (id === undefined || /^[\w.@/=+-]{1,200}$/.test(id)) return id;
  throw failure('BAD_USAGE', { detail: `"${id}" is not the id of a task` });
}

async function change(
  context: Context,
  input: Input,
  act: Exclude<QueueAct, 'count' | 'look'>,
  task?: string,
): Promise<number> {
  return changeQueue(await daemonOf(context), whichOf(input), { act, task });
}

function printChange({ out }: Context, input: Input, changed: number, text: string): void {
  printEither(out, { queue: whichOf(input).name, changed }, () => text);
}

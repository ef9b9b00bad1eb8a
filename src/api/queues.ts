// The methods that are about queues.
import { drained } from '../client/queues/drain.ts';
import { changeQueue, countQueue, type Daemon, viewQueue, viewQueues } from '../client/queues/queues.ts';
import { realClock } from '../shared/clock.ts';
import type { Run } from './link.ts';
import type { Nsv, QueueChoice } from './nsv.ts';

type QueueMethods = Pick<
  Nsv,
  'queues' | 'queue' | 'retryTasks' | 'pauseQueue' | 'resumeQueue' | 'drainQueue' | 'removeTask'
>;

/** `open` opens a connection of its own for the questions to processes. */
export function queueMethods(run: Run, open: Daemon['open']): QueueMethods {
  const which = (name: string, { app }: QueueChoice = {}) => ({ name, app });
  return {
    queues: () => run('queues', (client) => viewQueues({ client, open })),
    queue: (name, choice) => run('queue', (client) => viewQueue({ client, open }, which(name, choice))),
    retryTasks: (name, task, choice) =>
      run('retryTasks', (client) => changeQueue({ client, open }, which(name, choice), { act: 'retry', task })),
    async pauseQueue(name, choice) {
      await run('pauseQueue', (client) => changeQueue({ client, open }, which(name, choice), { act: 'pause' }));
    },
    async resumeQueue(name, choice) {
      await run('resumeQueue', (client) => changeQueue({ client, open }, which(name, choice), { act: 'resume' }));
    },
    drainQueue: (name, { onProgress = () => {}, ...choice } = {}) =>
      run('drainQueue', (client) =>
        drained(() => countQueue({ client, open }, which(name, choice)), onProgress, realClock),
      ),
    async removeTask(name, task, choice) {
      const change = { act: 'remove', task } as const;
      return (await run('removeTask', (client) => changeQueue({ client, open }, which(name, choice), change))) > 0;
    },
  };
}

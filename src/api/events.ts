// The events of apps as an async iterator with its own connection.
import { EventEmitter, on } from 'node:events';
import type { Connection } from '../ipc/client.ts';
import type { EventView } from '../ipc/journal/event-views.ts';
import { isFailure } from '../shared/errors.ts';
import type { Events } from './nsv.ts';

interface FollowRequest {
  targets: string[];
  signal?: AbortSignal | undefined;
}

interface Subscription extends Events {
  end(): void;
}

/** The subscriptions of one program. `open` makes a connection for each, which is closed with it. */
export function createSubscriptions(open: () => Promise<Connection>) {
  const all = new Set<Subscription>();
  return {
    begin(request: FollowRequest): Events {
      const subscription = follow(open, request, () => all.delete(subscription));
      all.add(subscription);
      return subscription;
    },
    end() {
      for (const subscription of all) subscription.end();
    },
  };
}

function follow(open: () => Promise<Connection>, { targets, signal }: FollowRequest, onEnd: () => void): Subscription {
  const emitter = new EventEmitter();
  // Throws if the signal is already aborted.
  const events = on(emitter, 'event', { close: ['end'], ...(signal && { signal }) }) as AsyncIterator<[EventView]>;
  // Without an iteration, an error must not become an uncaught exception of the process.
  emitter.on('error', () => undefined);
  let opening = open();
  const leave = () => {
    signal?.removeEventListener('abort', leave);
    onEnd();
    opening.then(
      (connection) => connection.close(),
      () => undefined,
    );
  };
  signal?.addEventListener('abort', leave);
  const subscribed = subscribe();
  subscribed.catch((error) => emitter.emit('error', error));

  /** `follow` is answered only at the end, so a second request is sent: its answer confirms the subscription. */
  async function subscribe(): Promise<void> {
    const connection = await opening;
    connection.onEvent((event) => emitter.emit('event', event));
    const followed = connection.client.follow({ targets });
    followed.then(() => emitter.emit('end'), lost);
    await Promise.race([followed, connection.client.ping({})]).catch((error) => {
      if (!isFailure(error, 'HANDED_OVER')) throw error;
    });
  }

  /** Continues with the successor of a daemon that handed over, unless that has ended meanwhile. */
  function lost(error: unknown): void {
    if (isFailure(error, 'HANDED_OVER')) {
      opening = open();
      subscribe().catch((cause) => (isFailure(cause, 'DAEMON_NOT_RUNNING') ? emitter.emit('end') : lost(cause)));
    } else emitter.emit('error', error);
  }

  return {
    subscribed,
    async next() {
      const step = await events.next().catch((error) => {
        leave();
        throw error;
      });
      if (!step.done) return { done: false, value: step.value[0] };
      leave();
      return { done: true, value: undefined };
    },
    async return() {
      leave();
      await events.return?.();
      return { done: true, value: undefined };
    },
    end() {
      emitter.emit('end');
      leave();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

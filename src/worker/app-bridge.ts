// Lets the library `nsv/app` talk to the daemon (src/ipc/app/bridge.ts). An app that does not load it pays for one property.
import { appTypes, type Bridge, bridgeKey, type ForApp } from '../ipc/app/bridge.ts';
import type { QueueQuestion } from '../ipc/questions.ts';
import type { DownMessage } from '../ipc/worker-messages.ts';
import { isConnected, isWithoutDaemon, onReconnected, send } from './channel.ts';
import { heldSettings, listenToSettings } from './runtime-settings.ts';
import { leave, runAtExit, takePart } from './shutdown/life.ts';
import { watchForPortCheckers } from './sockets/port-checkers.ts';

const listeners = new Map<string, (message: never) => void>();
let readMetrics: (() => object) | undefined;
let answerQueue: ((about: QueueQuestion) => Promise<object>) | undefined;

/** Empty if the app has none. */
export function metricsOfApp(): object {
  return readMetrics?.() ?? [];
}

/** Rejects with the reason why there is no answer. */
export async function queueOfApp(about: QueueQuestion): Promise<object> {
  if (answerQueue) return answerQueue(about);
  throw new Error('it has no queue');
}

/**
 * Not enumerable, so that nobody finds it who prints `process`. Forked processes and threads of the app have none. `instances`: as the
 * daemon has given it.
 */
export function offerBridge(instances: string | undefined): void {
  let bridge: Bridge | undefined;
  const get = () => {
    bridge ??= createBridge(instances);
    return bridge;
  };
  Object.defineProperty(process, bridgeKey, { get, configurable: true, enumerable: false });
}

export function isForApp(message: DownMessage): message is ForApp {
  return appTypes.has(message.type);
}

export function passToApp(message: ForApp): void {
  listeners.get(message.type)?.(message as never);
}

function createBridge(instances: string | undefined): Bridge {
  return {
    version: 1,
    instances: Number(instances) || 1,
    send(news) {
      if (!isConnected() || isWithoutDaemon()) return false;
      // The process accepts nothing until it is ready, unless it is seen to connect to itself.
      if (news.type === 'readiness' && !news.ready) watchForPortCheckers([]);
      send(news);
      return true;
    },
    onMessage(type, handle) {
      listeners.set(type, handle);
    },
    onReconnected: onReconnected,
    takePart,
    leave,
    settings: { held: heldSettings, listen: listenToSettings },
    offerMetrics(read, readCounts) {
      readMetrics = read;
      runAtExit(() => send({ type: 'counters', text: readCounts() }));
    },
    offerQueues(answer) {
      answerQueue = answer;
    },
  };
}

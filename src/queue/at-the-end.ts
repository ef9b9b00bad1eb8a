// A queue takes part in the end of its process: it begins nothing more, what runs is finished as long as there is time, and the rest is
// given back before the handlers of the program have their turn.
import { onShutdown, shutdownSignal, workInProgress } from '../app/shutdown.ts';
import type { Consumer } from './consumer.ts';

export interface End {
  /** Holds up the end of the process while tasks run. */
  working(isWorking: boolean): void;
  /** The queue is closed, and has no part in it any more. */
  left(): void;
}

export function atTheEnd(queue: string, consumer: () => Consumer | undefined): End {
  const stop = () => consumer()?.stop();
  const cut = () => consumer()?.cut('the process ends');
  const signal = shutdownSignal();
  signal.addEventListener('abort', stop);
  const forget = onShutdown(
    async () => {
      cut();
      await consumer()?.close();
    },
    { name: `queue ${queue}` },
  );
  let end: (() => void) | undefined;
  return {
    working(isWorking) {
      end?.();
      end = isWorking ? workInProgress({ queue }, cut) : undefined;
    },
    left() {
      signal.removeEventListener('abort', stop);
      forget();
    },
  };
}

// Asks the daemon of a home how its apps are. A daemon that has just died, or hands over to another one, is waited for: it is
// back in a moment, and the apps go on serving.
import { setTimeout as after } from 'node:timers/promises';
import { type Connection, openConnection } from '../ipc/client.ts';
import type { HealthView } from '../ipc/views.ts';
import { realClock } from '../shared/clock.ts';
import type { HomePaths } from '../shared/paths.ts';

/** Milliseconds for which a daemon is waited for, and within which it must answer. Probes have little patience. */
const patience = 3_000;
const betweenTries = 50;

/** All who ask at the same time get the same answer. It rejects with the daemon's error, or the reason why there is none. */
export function createDaemonLook(paths: HomePaths): () => Promise<HealthView> {
  let connection: Promise<Connection> | undefined;
  let underWay: Promise<HealthView> | undefined;

  async function ask(): Promise<HealthView> {
    if (!connection || !(await connection).isOpen) connection = openConnection(paths, { silence: patience });
    return (await connection).client.health({});
  }

  async function insist(): Promise<HealthView> {
    const end = realClock.now() + patience;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        connection?.then((lost) => lost.close()).catch(() => {});
        connection = undefined;
        if (realClock.now() > end) throw error;
        await after(betweenTries);
      }
    }
  }

  return () => {
    underWay ??= insist().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

// The program behind `nsv health --serve`: an ordinary app that answers health probes for the daemon.
import { setTimeout as after } from 'node:timers/promises';
import { parseHealthServer } from '../config/health-server.ts';
import { startHealth } from '../daemon/control/health.ts';
import { type Connection, openConnection } from '../ipc/client.ts';
import type { HealthView } from '../ipc/views.ts';
import { realClock } from '../shared/clock.ts';
import { type HomePaths, homePaths } from '../shared/paths.ts';

start().catch((error) => {
  // `nsv health` shows the last line of the error log as the reason.
  console.error(`nsv health: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});

async function start(): Promise<void> {
  const { port, host } = parseHealthServer(process.env);
  await startHealth({
    port,
    host,
    look: createDaemonLook(homePaths()),
    onError: (error) => console.error(error.message),
  });
  console.log(`answering on ${host}, port ${port}`);
  process.send?.('ready');
}

/** Milliseconds for which a daemon is waited for, and within which it must answer. Probes have short timeouts. */
const timeout = 3_000;
const betweenTries = 50;

/** All who ask at the same time get the same answer. It rejects with the daemon's error, or the reason why there is none. */
function createDaemonLook(paths: HomePaths): () => Promise<HealthView> {
  let connection: Promise<Connection> | undefined;
  let underWay: Promise<HealthView> | undefined;

  async function ask(): Promise<HealthView> {
    if (!connection || !(await connection).isOpen) connection = openConnection(paths, { silence: timeout });
    return (await connection).client.health({});
  }

  async function insist(): Promise<HealthView> {
    const end = realClock.now() + timeout;
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

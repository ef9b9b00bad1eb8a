// The program behind `nsv health --serve`: an ordinary app that answers health probes for the daemon.
import { parseHealthServer } from '../config/health-server.ts';
import { startHealth } from '../daemon/control/health.ts';
import { homePaths } from '../shared/paths.ts';
import { createDaemonLook } from './daemon-look.ts';

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

// What nsv itself does below the shell that is process 1: takes its environment, and says that signals may come.
import { givenEnvironment } from '../../src/os/process-1.ts';
import { notifyShellAbove } from '../../src/os/terminate.ts';

process.on('SIGUSR2', () => process.exit(42));
notifyShellAbove();
process.stdout.write(`${JSON.stringify(givenEnvironment())}\n`);
setInterval(() => {}, 1_000);

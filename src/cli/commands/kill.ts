import { count } from '../../shared/units.ts';
import { type Command, clientIfRunning, jsonOption } from '../command.ts';
import { printEither } from '../print.ts';

export const kill: Command = {
  summary: 'stops all apps and the daemon',
  options: [jsonOption],
  examples: [['nsv kill', 'stop everything that nsv runs']],
  async run(context) {
    const client = await clientIfRunning(context, { launch: false, anyVersion: true });
    if (!client) return printEither(context.out, { pid: null, stopped: 0 }, () => 'no daemon is running');
    const ended = await client.kill({});
    await context.daemonExited();
    const what = count(ended.stopped, 'process');
    printEither(context.out, ended, () => `stopped ${what} and the daemon (pid ${ended.pid})`);
  },
};

import { renderDuration } from '../../shared/units.ts';
import { type Command, jsonOption } from '../command.ts';
import { printEither } from '../print.ts';

export const ping: Command = {
  summary: 'checks that the daemon is running',
  notes:
    'Prints the version, pid, Node version and uptime of the daemon. The exit code is 4 when no daemon is running.',
  options: [jsonOption],
  examples: [['nsv ping', 'version, pid and uptime of the daemon']],
  async run(context) {
    const client = await context.connect({ launch: false, anyVersion: true });
    const daemon = await client.ping({});
    const { pid, version, node, uptime } = daemon;
    printEither(context.out, daemon, () => `nsv ${version}, pid ${pid}, Node ${node}, up ${renderDuration(uptime)}`);
  },
};

import { renderDuration } from '../../shared/units.ts';
import { type Command, jsonOption } from '../command.ts';
import { printEither } from '../print.ts';

export const ping: Command = {
  summary: 'says whether the daemon lives, and which one',
  notes: 'Exit code 4 when none is running.',
  options: [jsonOption],
  examples: [['nsv ping', 'pid, versions and uptime of the daemon']],
  async run(context) {
    const client = await context.connect();
    const daemon = await client.ping({});
    const { pid, version, node, uptime } = daemon;
    printEither(context.out, daemon, () => `nsv ${version}, pid ${pid}, Node ${node}, up ${renderDuration(uptime)}`);
  },
};

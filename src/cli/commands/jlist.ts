import { type Command, connectIfRunning, jsonOption } from '../command.ts';
import { jlistOf } from '../render/jlist.ts';

export const jlist: Command = {
  summary: 'prints the processes as JSON in the shape of "pm2 jlist"',
  notes: 'For tools that read PM2; "nsv list --json" is the plain form. Without a daemon: [].',
  options: [jsonOption],
  examples: [['nsv jlist | jq ".[].monit"', 'memory and CPU of each process']],
  async run(context) {
    const client = await connectIfRunning(context);
    const apps = client ? await client.describe({ targets: [] }) : [];
    context.out.write(JSON.stringify(apps.flatMap(jlistOf)));
  },
};

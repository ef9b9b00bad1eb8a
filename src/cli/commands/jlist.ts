import { type Command, type Context, clientIfRunning, jsonOption } from '../command.ts';
import { factsOf } from '../pm2/app-facts.ts';
import { jlistOf } from '../render/jlist.ts';

export const jlist: Command = {
  summary: 'prints the processes as JSON in the shape of "pm2 jlist"',
  notes: 'For tools that read PM2; "nsv list --json" is the plain form. Without a daemon: [].',
  options: [jsonOption],
  examples: [['nsv jlist | jq ".[].monit"', 'memory and CPU of each process']],
  async run(context) {
    context.out.write(JSON.stringify(await processesOf(context)));
  },
};

export const prettylist: Command = {
  summary: 'prints the same as "nsv jlist" with line breaks',
  notes: 'JSON, where PM2 prints a notation of its own.',
  options: [jsonOption],
  examples: [['nsv prettylist | less', 'to read']],
  async run(context) {
    context.out.write(JSON.stringify(await processesOf(context), null, 2));
  },
};

async function processesOf(context: Context) {
  const client = await clientIfRunning(context);
  const apps = client ? await client.describe({ targets: [] }) : [];
  return apps.flatMap((app) => jlistOf(app, factsOf(app.spec, context)));
}

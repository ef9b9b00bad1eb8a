import { type Command, type Context, clientIfRunning, jsonOption } from '../command.ts';
import { factsOf } from '../pm2/app-facts.ts';
import { jlistOf } from '../render/jlist.ts';
import { toJson } from '../render/text.ts';

export const jlist: Command = {
  summary: 'prints processes as JSON in the format of "pm2 jlist"',
  notes:
    'For tools that read the output of PM2. For new scripts, "nsv list --json" is simpler. Prints [] when no daemon is running.',
  options: [jsonOption],
  examples: [['nsv jlist | jq ".[].monit"', 'memory and CPU of each process']],
  async run(context) {
    context.out.write(toJson(await processesOf(context)));
  },
};

export const prettylist: Command = {
  summary: 'prints the output of "nsv jlist" with line breaks',
  notes: 'Prints JSON, not the JavaScript-like format of PM2.',
  options: [jsonOption],
  examples: [['nsv prettylist | less', 'read it page by page']],
  async run(context) {
    context.out.write(toJson(await processesOf(context), 2));
  },
};

async function processesOf(context: Context) {
  const client = await clientIfRunning(context);
  const apps = client ? await client.describe({ targets: [] }) : [];
  return apps.flatMap((app) => jlistOf(app, factsOf(app.spec, context)));
}

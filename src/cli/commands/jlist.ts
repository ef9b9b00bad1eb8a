import { type Command, type Context, clientIfRunning, jsonOption } from '../command.ts';
import { nodeVersionOf, shortInterpreterOf, userOf, versionOf } from '../facts/app-facts.ts';
import { jlistOf, prettyListOf } from '../render/jlist.ts';
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
  summary: 'prints processes in the notation of "pm2 prettylist"',
  notes: 'Prints the data of "nsv jlist" as util.inspect() of Node shows it; with --json, as JSON with line breaks.',
  options: [jsonOption],
  examples: [['nsv prettylist | less', 'read it page by page']],
  async run(context) {
    const { json, terminal, write } = context.out;
    const processes = await processesOf(context);
    write(json ? toJson(processes, 2) : prettyListOf(processes, terminal.colour));
  },
};

async function processesOf(context: Context) {
  const client = await clientIfRunning(context);
  const apps = client ? await client.describe({ targets: [] }) : [];
  return apps.flatMap((app) => {
    const { spec } = app;
    return jlistOf(app, {
      version: versionOf(spec),
      interpreter: shortInterpreterOf(spec),
      nodeVersion: nodeVersionOf(spec, context),
      username: userOf(spec),
    });
  });
}

import { metricsOf } from '../../client/metrics.ts';
import { withQueues } from '../../client/queues/queues.ts';
import type { AppView } from '../../ipc/views.ts';
import { type Command, type Context, jsonOption, targetsArgument } from '../command.ts';
import { nodeVersionOf, revisionOf, versionOf } from '../facts/app-facts.ts';
import { printJson } from '../print.ts';
import { type Findings, renderDetails } from '../render/details.ts';
import { loadPaint } from '../render/paint.ts';

export const show: Command = {
  summary: 'shows settings, sockets, processes and files of apps',
  arguments: [targetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv show web', 'settings that differ from the defaults, and all processes'],
    ['nsv show web --json', 'all settings, the environment, metrics and queues of the app'],
  ],
  async run(context, { words }) {
    const client = await context.connect();
    const look = () => client.describe({ targets: words });
    const open = () => context.open();
    if (context.out.json)
      return printJson(context.out, await withQueues(await metricsOf(look, open), { client, open }));
    const apps = await look();
    const paint = await loadPaint(context.out.terminal.colour);
    context.out.write(apps.map((app) => renderDetails(app, findingsAbout(app, context), paint)).join('\n\n'));
  },
};

function findingsAbout({ spec }: AppView, context: Context): Findings {
  return { version: versionOf(spec), nodeVersion: nodeVersionOf(spec, context), revision: revisionOf(spec) };
}

import { dirname } from 'node:path';
import { namesOf } from '../../client/running.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { isDevice } from '../../shared/log-file.ts';
import { configOptions } from '../args/config-word.ts';
import { type Command, type Context, jsonOption, targetsOrConfigArgument } from '../command.ts';
import { pathsOf } from '../logs/sources.ts';
import { targetsOf } from '../plans/config-files/chosen.ts';
import { printJson, printProcesses } from '../print.ts';
import { printable } from '../render/text.ts';

export const deleteApps: Command = {
  summary: 'stops apps and removes them from the list; keeps their log files',
  notes: 'Prints what was deleted, and the processes that are left; with --json, those that were deleted.',
  arguments: [targetsOrConfigArgument],
  options: [...configOptions, jsonOption],
  examples: [
    ['nsv delete web', 'one app with all its instances'],
    ['nsv delete all', 'all apps'],
  ],
  async run(context, input) {
    const targets = await targetsOf(context, input);
    const client = await context.connect();
    await printDeleted(context, await client.delete({ targets }));
  },
};

async function printDeleted(context: Context, deleted: ProcessView[]): Promise<void> {
  const { out } = context;
  if (out.json) return printJson(out, deleted);
  const names = [...namesOf(deleted)];
  if (names.length === 0) return out.write('nothing to delete: there are no apps');
  const kept = pathsOf(deleted).filter((file) => !isDevice(file));
  const places = [...new Set(kept.map((file) => dirname(file)))];
  const logs = places.length === 0 ? '' : `; ${names.length === 1 ? 'its' : 'their'} logs stay in ${places.join(', ')}`;
  out.write(printable(`deleted ${names.join(', ')}${logs}`));
  // `nsv run` ends with its last app.
  const left = await context.ask((client) => client.list({ targets: [] }));
  if (left) await printProcesses(out, left);
}

import { copyForDaemon } from '../../client/copies.ts';
import { daemonCommand, daemonEnvironment } from '../../client/daemon-process.ts';
import { isRunning, namesOf } from '../../client/running.ts';
import type { DaemonParty } from '../../ipc/views.ts';
import { homePaths } from '../../shared/paths.ts';
import { type Command, type Context, jsonOption } from '../command.ts';
import { nodeAppsAmong, reloadEach } from '../plans/update-reloads.ts';
import { printJson } from '../print.ts';

export const update: Command = {
  summary: 'replaces the daemon with this version and reloads Node apps',
  notes: `The new daemon takes over only after it has shown that it can read the state of the old one. Otherwise the old daemon stays, and
the exit code is 4. The new daemon inherits the listening sockets, so no request fails.

Programs other than Node keep running. Node apps that used the Node of the old daemon are reloaded with the Node on the PATH, others
with their own. If a reload fails, the old processes of that app keep running, the daemon stays updated, and the exit code is that of
"nsv reload".`,
  options: [['--no-reload', 'do not reload Node apps'], jsonOption],
  examples: [
    ['nsv update', 'after "npm install -g nsv" or a change of Node'],
    ['nsv update --no-reload', 'replace only the daemon'],
  ],
  async run(context, { options }) {
    const client = await context.connect({ launch: false, anyVersion: true, isUpdate: true });
    const env = daemonEnvironment(process.env);
    const { before, after: candidate } = await client.upgrade({
      command: daemonCommand(copyForDaemon(homePaths())),
      env,
    });
    // A supervisor starts the daemon from its own configuration, so it may not be the candidate that was tested.
    const { pid, version, node } = await client.ping({});
    const after = { ...candidate, pid, version, node };
    if (!context.out.json) context.out.write(`updated ${partyText(before)} to ${partyText(after)}`);
    const running = (await client.list({ targets: [] })).filter(isRunning);
    const toReload = options.reload === false ? [] : nodeAppsAmong(running);
    const { reloaded, failures } = await reloadEach(context, toReload, { before, after });
    const failed = [...failures.keys()];
    const untouched = [...namesOf(running)].filter((name) => !toReload.includes(name));
    if (context.out.json) printJson(context.out, { before, after, reloaded, failed, untouched });
    else {
      printNames(context, 'reloaded', reloaded);
      // An app whose new process failed keeps the old one.
      printNames(context, 'left running', [...failed, ...untouched]);
    }
    const [first, ...others] = failures.values();
    for (const failure of others) await context.out.report(failure);
    if (first) throw first;
  },
};

function printNames({ out }: Context, what: string, names: readonly string[]): void {
  if (names.length > 0) out.write(`${what}: ${names.join(', ')}`);
}

function partyText({ version, node, pid }: DaemonParty): string {
  return `nsv ${version} (Node ${node}, pid ${pid})`;
}

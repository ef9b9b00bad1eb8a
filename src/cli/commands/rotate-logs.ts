import type { RotatedView } from '../../ipc/views.ts';
import { type Command, jsonOption, type Output, someTargetsArgument } from '../command.ts';
import { printEither } from '../print.ts';
import { renderRotated } from '../render/log-results.ts';

export const rotateLogs: Command = {
  summary: 'rotates log files now, whatever their size',
  notes: `The content of each log file moves to a new file next to it, with the time in its name, and the app continues at the beginning of
the log file. No line is lost. Empty files are skipped. For the logs of an app called "rotate", run "nsv logs -- rotate".`,
  arguments: [someTargetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv logs rotate web', 'log files of one app'],
    ['nsv logs rotate', 'log files of all apps'],
  ],
  async run(context, { words }) {
    const client = await context.connect();
    print(context.out, await client.rotateLogs({ targets: words }), 'nothing to rotate');
  },
};

export const reopenLogs: Command = {
  summary: 'reopens log files after logrotate has renamed them',
  notes: `An app keeps writing to its log file after logrotate has renamed it. This command moves what was written so far to a file with
the new name, and new lines go to the original path. No line is lost. Use it in the "postrotate" section of logrotate. SIGUSR2 to the
daemon does the same, without waiting. A deleted log file cannot be reopened: reload the app instead.`,
  arguments: [someTargetsArgument],
  options: [jsonOption],
  examples: [['nsv logs reopen', 'log files of all apps']],
  async run(context, { words }) {
    const client = await context.connect();
    print(context.out, await client.reopenLogs({ targets: words }), 'log files are current: nothing to reopen');
  },
};

function print(out: Output, views: readonly RotatedView[], nothing: string): void {
  const moved = views.filter(({ to }) => to !== null);
  printEither(out, moved, () => (moved.length === 0 ? nothing : renderRotated(moved)));
}

import { type Command, jsonOption, someTargetsArgument } from '../command.ts';
import { printEither } from '../print.ts';
import { renderRotated } from '../render/log-results.ts';

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
    const reopened = (await client.reopenLogs({ targets: words })).filter(({ to }) => to !== null);
    printEither(context.out, reopened, () =>
      reopened.length === 0 ? 'log files are current: nothing to reopen' : renderRotated(reopened),
    );
  },
};

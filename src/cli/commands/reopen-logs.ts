import { type Command, jsonOption, someTargetsArgument } from '../command.ts';
import { printEither } from '../print.ts';
import { renderRotated } from '../render/log-results.ts';

export const reopenLogs: Command = {
  summary: 'gives log files that were renamed (by logrotate) their names back, for the apps to go on with',
  notes: `Apps go on writing to a file that was renamed. This puts what they have written so far into a file of the new name,
and what they write from now on under the old one; no line is lost. It is what belongs into "postrotate" of logrotate; SIGUSR2 to
the daemon does the same, but nobody waits for it. A file that was deleted cannot be had back: reload the app.`,
  arguments: [someTargetsArgument],
  options: [jsonOption],
  examples: [['nsv logs reopen', 'of all apps']],
  async run(context, { words }) {
    const client = await context.connect();
    const reopened = (await client.reopenLogs({ targets: words })).filter(({ to }) => to !== null);
    printEither(context.out, reopened, () =>
      reopened.length === 0 ? 'every log file has its name' : renderRotated(reopened),
    );
  },
};

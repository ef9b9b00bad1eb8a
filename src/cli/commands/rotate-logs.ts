import { type Command, jsonOption, someTargetsArgument } from '../command.ts';
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
    const done = (await client.rotateLogs({ targets: words })).filter(({ to }) => to !== null);
    printEither(context.out, done, () => renderRotated(done));
  },
};

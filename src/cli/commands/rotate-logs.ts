import { type Command, jsonOption, someTargetsArgument } from '../command.ts';
import { printEither } from '../print.ts';
import { renderRotated } from '../render/log-results.ts';

export const rotateLogs: Command = {
  summary: 'rotates log files now, whatever their size',
  notes: `What is in a file goes to one of its own beside it, with the time in its name, and the app goes on at the beginning.
No line is lost. Empty files are left alone. An app that is called "rotate" is shown by "nsv logs -- rotate".`,
  arguments: [someTargetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv logs rotate web', 'of one app'],
    ['nsv logs rotate', 'of all apps'],
  ],
  async run(context, { words }) {
    const client = await context.connect();
    const rotated = await client.rotateLogs({ targets: words });
    const done = rotated.filter(({ to }) => to !== null);
    printEither(context.out, done, () => renderRotated(done));
  },
};

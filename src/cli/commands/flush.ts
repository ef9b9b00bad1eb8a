import { type Command, jsonOption, someTargetsArgument } from '../command.ts';
import { pathsOf } from '../logs/sources.ts';
import { emptyFiles, ownersOf } from '../logs/truncate.ts';
import { printEither } from '../print.ts';
import { renderFlushed } from '../render/log-results.ts';

export const flush: Command = {
  summary: 'empties log files',
  notes: `Apps continue to write at the beginning of the emptied files, and a running "nsv logs" continues to follow them. A file that
several apps share is emptied for all of them. Devices such as /dev/null are left alone.`,
  arguments: [someTargetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv flush web', 'log files of one app'],
    ['nsv flush', 'log files of all apps'],
  ],
  async run(context, { words }) {
    const client = await context.connect();
    const views = await client.logs({ targets: words });
    context.disconnect();
    const { emptied, failure } = await emptyFiles(pathsOf(views), ownersOf(views));
    printEither(context.out, emptied, () => renderFlushed(emptied));
    if (failure) throw failure;
  },
};

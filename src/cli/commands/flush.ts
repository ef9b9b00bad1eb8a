import { type Command, jsonOption, someTargetsArgument } from '../command.ts';
import { logSources } from '../logs/sources.ts';
import { emptyFiles } from '../logs/truncate.ts';
import { printEither } from '../print.ts';
import { renderFlushed } from '../render/log-results.ts';

export const flush: Command = {
  summary: 'empties the log files of apps',
  notes: `The apps go on writing at the beginning of their files, and "nsv logs" goes on following. A file that several apps
share is emptied for all of them. What is no file, such as /dev/null, is left alone.`,
  arguments: [someTargetsArgument],
  options: [jsonOption],
  examples: [
    ['nsv flush web', 'of one app'],
    ['nsv flush', 'of all apps'],
  ],
  async run(context, { words }) {
    const client = await context.connect();
    const views = await client.logs({ targets: words });
    context.disconnect();
    const files = logSources(views, ['out', 'err']).map(({ file }) => file);
    const { emptied, failure } = emptyFiles(files);
    printEither(context.out, emptied, () => renderFlushed(emptied));
    if (failure) throw failure;
  },
};

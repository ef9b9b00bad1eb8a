import { realClock } from '../../shared/clock.ts';
import { type Command, someTargetsArgument } from '../command.ts';
import { lookForNewcomers } from '../logs/newcomers.ts';
import { logSources, tellUnkept } from '../logs/sources.ts';
import { createLogStream } from '../logs/stream.ts';
import { logWishes } from '../logs/wishes.ts';
import { createLogLine } from '../render/log-line.ts';
import { loadPaint } from '../render/paint.ts';

export const logs: Command = {
  summary: 'shows the output of apps, and follows it',
  notes: `Shows the last lines of each file, file by file, each with id|name|slot before it, then what comes, until
Ctrl-C (exit code 130). --grep sifts these lines; it does not search further back. Files that are emptied or replaced
are read on from their beginning. What is started meanwhile is shown too, after two seconds at the latest: all of a file
that is new, the last lines of another. A file that apps share is shown once, under all their names.`,
  arguments: [someTargetsArgument],
  options: [
    ['-n, --lines <n>', 'how many of the last lines of each file (default: 15)'],
    ['--out', 'standard output only'],
    ['--err', 'standard error only'],
    ['--grep <regex>', 'only lines that match'],
    ['--raw', 'lines as they are, without a prefix'],
    ['--nostream', 'show the last lines and end'],
    ['--json', 'an object for each line'],
  ],
  examples: [
    ['nsv logs', 'everything'],
    ['nsv logs web --err --lines 100', 'the last hundred errors, and what comes'],
    ['nsv logs web --raw --nostream | less', 'to read'],
  ],
  async run(context, { words, options }) {
    const { out } = context;
    const wishes = logWishes(options, out.json);
    const client = await context.connect();
    const views = await client.logs({ targets: words });
    context.disconnect();
    tellUnkept(views, wishes.streams, out.note);
    const sources = logSources(views, wishes.streams);
    const render = createLogLine(wishes.format, sources, await loadPaint(out.terminal.colour));
    const stream = createLogStream(wishes.lines, {
      emit({ file: _, ...origin }, line) {
        if (wishes.grep.test(line)) out.write(render(origin, line));
      },
      get isFull() {
        return out.isFull;
      },
    });
    stream.add(sources);
    if (options.nostream) return stream.close();
    stream.follow(realClock);
    const ask = () => context.ask((daemon) => daemon.logs({ targets: words }));
    lookForNewcomers(realClock, ask, (newer) => stream.add(logSources(newer, wishes.streams)));
    await new Promise(() => undefined);
  },
};

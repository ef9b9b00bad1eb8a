import { realClock } from '../../shared/clock.ts';
import { type Command, someTargetsArgument } from '../command.ts';
import { logOptionsOf } from '../logs/log-options.ts';
import { lookForNewApps } from '../logs/new-apps.ts';
import { createPrinter } from '../logs/printer.ts';
import { logSources, tellUnkept } from '../logs/sources.ts';
import { createLogStream } from '../logs/stream.ts';
import { createLogLine } from '../render/log-line.ts';
import { loadPaint } from '../render/paint.ts';

export const logs: Command = {
  summary: 'shows the output of apps, and follows it',
  notes: `Shows the last lines of each file, each with id|name|slot before it, then what comes, until Ctrl-C (exit code 130) or
until nobody reads any more, as in "nsv logs | head", which is seen at the next line (0). Lines of several files are shown in
the order of the times that they begin with, or have as JSON objects; files without times are shown one after another. Rotated
files are read too, where the lines that are asked for begin in them, and nothing is left out when a file is rotated, emptied or
replaced meanwhile.

--grep sifts these lines and those that come; it does not search further back: for that, say how far with --since or -n.
--since takes a time ago (10m, 1h30m, 2d) or a moment (18:00, 2026-11-21, 2026-11-21T18:00, with a zone or in that of this
machine).

What is started meanwhile is shown too, after two seconds at the latest: all of a file that is new, the last lines of another.
A file that apps share is shown once, under all their names.`,
  arguments: [someTargetsArgument],
  options: [
    ['-n, --lines <n>', 'how many of the last lines of each file (default: 15; with --since: all)'],
    ['--since <time>', 'from the first line of that time on'],
    ['--out', 'standard output only'],
    ['--err', 'standard error only'],
    ['--grep <regex>', 'only lines that match'],
    ['-i, --ignore-case', 'with --grep: in capitals or not'],
    ['--invert', 'with --grep: only lines that do not match'],
    ['--timestamp', 'the time before each line: its own, else when it was seen'],
    ['--raw', 'lines as they are, byte for byte, without a prefix'],
    ['--nostream', 'show the lines that are there and end'],
    ['-f, --follow', 'show what comes too, as is done anyway'],
    ['--json', 'an object for each line'],
  ],
  examples: [
    ['nsv logs', 'everything'],
    ['nsv logs web --err --lines 100', 'the last hundred errors, and what comes'],
    ['nsv logs --since 10m --grep "5\\d\\d"', 'what went wrong in the last ten minutes'],
    ['nsv logs web --raw --nostream | less', 'to read'],
  ],
  async run(context, { words, options }) {
    const { out } = context;
    const wanted = logOptionsOf(options, out.json, realClock.wall());
    const client = await context.connect();
    const views = await client.logs({ targets: words });
    context.disconnect();
    tellUnkept(views, wanted.streams, out.note);
    const sources = logSources(views, wanted.streams);
    const render = createLogLine(wanted.look, sources, await loadPaint(out.terminal.colour));
    const { past, matches } = wanted;
    const stream = createLogStream(
      past,
      createPrinter(out, realClock, { render, matches, linesUntimed: past.linesUntimed }),
    );
    await stream.add(sources);
    await stream.look();
    if (options.nostream) return stream.close();
    const ask = () => context.ask((daemon) => daemon.logs({ targets: words }));
    lookForNewApps(realClock, ask, (newer) => stream.add(logSources(newer, wanted.streams)));
    await stream.follow(realClock);
  },
};

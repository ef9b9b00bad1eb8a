import type { ProcessView } from '../../ipc/views.ts';
import { realClock } from '../../shared/clock.ts';
import { failure } from '../../shared/errors.ts';
import { type Command, someTargetsArgument } from '../command.ts';
import { logSources } from '../logs/sources.ts';
import { createLogStream } from '../logs/stream.ts';
import { logWishes } from '../logs/wishes.ts';
import { createLogLine } from '../render/log-line.ts';
import { loadPaint } from '../render/paint.ts';

export const logs: Command = {
  summary: 'shows the output of apps, and follows it',
  notes: `Shows the last lines of each file, file by file, each with id|name|slot before it, then what comes, until
Ctrl-C (exit code 130). --grep sifts these lines; it does not search further back. Files that are emptied or replaced
are read on from their beginning. Apps that are started later are not followed.`,
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
    const processes = await client.list({ targets: words });
    context.disconnect();
    rejectPassedOn(processes);
    const sources = logSources(processes, wishes.streams);
    const render = createLogLine(wishes.format, sources, await loadPaint(out.terminal.colour));
    const stream = createLogStream(sources, ({ file: _, ...origin }, line) => {
      if (wishes.grep.test(line)) out.write(render(origin, line));
    });
    stream.last(wishes.lines);
    if (options.nostream) stream.close();
    else await stream.follow(realClock);
  },
};

/** Where nothing is kept there is nothing to show, and to show nothing would look like an app that says nothing. */
function rejectPassedOn(processes: readonly ProcessView[]): void {
  const [first] = processes;
  if (!first || processes.some(({ outFile, errorFile }) => outFile !== null || errorFile !== null)) return;
  throw failure('UNSUPPORTED', {
    what: `"nsv logs" on "${first.name}"`,
    reason: '"nsv run" passes its output on and keeps none: look where that goes ("docker logs"), or use --output',
  });
}

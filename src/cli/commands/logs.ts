import { BadValue, integer } from '../../config/options/parsers.ts';
import { problemText } from '../../ipc/records/problems.ts';
import type { LogFilesView } from '../../ipc/views.ts';
import { realClock } from '../../shared/clock.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import { parseMoment } from '../args/moment.ts';
import { type Command, type Input, someTargetsArgument } from '../command.ts';
import { createPrinter } from '../logs/printer.ts';
import { logSources, noteFiles, noteUnkept } from '../logs/sources.ts';
import { followStarts, lookForNewApps, pastStarts, Starts } from '../logs/starts.ts';
import { createLogStream } from '../logs/stream.ts';
import { createLogLine, type LogFormat, type LogOrigin, renderStart } from '../render/log-line.ts';
import { loadPaint } from '../render/paint.ts';
import { printable } from '../render/text.ts';

export const logs: Command = {
  summary: 'shows the output of apps and follows it',
  notes: `Prints the last lines of each log file, prefixed with id|name|slot, then new lines as they arrive. Stops on Ctrl-C (exit code
130) or when the reader of its output goes away, as in "nsv logs | head" (exit code 0).

Lines from several files are merged by the time at the start of each line or in its JSON object; files without times are printed one
after another. Rotated files are read as far back as needed. No line is lost when a file is rotated, emptied or replaced meanwhile.

--grep filters these lines and the new ones. It does not search further back: use --since or -n for that. --since takes a duration
(10m, 1h30m, 2d) or a point in time (18:00, 2026-11-21, 2026-11-21T18:00, optionally with a time zone).

A line such as "── web started 15:31:02 ──" says where a process was started; --grep, --raw and --json leave it out. Where there are
no colours, lines of standard error have the word "err" before them.

On a terminal, lines keep their colours; other control characters are escaped as \\x1b, since they could take over the terminal.

Apps that are started later appear within two seconds. A file that several apps share is shown once, under all their names.`,
  arguments: [someTargetsArgument],
  options: [
    ['-n, --lines <n>', 'number of lines from the end of each file (default: 15; with --since: all)'],
    ['--since <time>', 'start at the first line written at or after this time'],
    ['--out', 'standard output only'],
    ['--err', 'standard error only'],
    ['--grep <regex>', 'only lines that match this regular expression'],
    ['-i, --ignore-case', 'with --grep: ignore case'],
    ['--invert', 'with --grep: only lines that do not match'],
    ['--timestamp', 'prefix each line with its time, or with what is known of it'],
    ['--raw', 'print lines byte for byte, without a prefix, also on a terminal'],
    ['--nostream', 'print the existing lines and exit'],
    ['-f, --follow', 'follow the logs (the default)'],
    ['--json', 'print one JSON object per line'],
  ],
  examples: [
    ['nsv logs', 'all apps'],
    ['nsv logs web --err --lines 100', '100 lines of standard error, then follow'],
    ['nsv logs --since 10m --grep "5\\d\\d"', 'server errors of the last ten minutes'],
    ['nsv logs web --raw --nostream | less', 'read the log page by page'],
  ],
  async run(context, { words, options }) {
    const { out } = context;
    const wanted = logOptionsOf(options, out.json, realClock.wall());
    const client = await context.connect();
    const views = await client.logs({ targets: words });
    context.disconnect();
    noteUnkept(views, wanted.streams, out.note);
    for (const text of new Set(views.flatMap(({ problems = [] }) => problems.map(problemText))))
      out.note(`nsv: ${printable(text)}`);
    const sources = logSources(views, wanted.streams);
    const look = { ...wanted.look, terminal: out.terminal.tty, colour: out.terminal.colour };
    const paint = await loadPaint(out.terminal.colour);
    const render = createLogLine(look, sources, paint);
    const { past, matches, showsStarts } = wanted;
    const stream = createLogStream(
      past,
      createPrinter(out, realClock, {
        render,
        ...(showsStarts && { renderStart: (start) => renderStart(start, realClock.wall(), paint) }),
        matches,
        linesUntimed: past.linesUntimed,
      }),
    );
    const starts = new Starts(stream);
    const add = async (views: LogFilesView[]) => {
      await stream.add(logSources(views, wanted.streams));
      starts.know(views);
    };
    if (out.terminal.tty && look.format === 'prefixed') noteFiles(sources, out.note);
    await add(views);
    if (showsStarts || look.timestamp) for (const event of pastStarts()) starts.onEvent(event, false);
    await stream.look();
    if (options.nostream) return stream.close();
    out.endWithReader();
    const ask = () => context.ask((daemon) => daemon.logs({ targets: words }));
    lookForNewApps(realClock, ask, add);
    if (showsStarts) followStarts(context, words, (event) => starts.onEvent(event, true)).catch(throwUncaught);
    await stream.follow(realClock);
  },
};

const defaultLines = 15;

/** Throws BAD_OPTION with all errors. `now`: milliseconds since 1970. */
function logOptionsOf(options: Input['options'], json: boolean, now: number) {
  const problems: string[] = [];
  const read = <T>(name: string, read: (value: string) => T): T | undefined => {
    const value = options[name];
    if (value === undefined) return undefined;
    try {
      return read(String(value));
    } catch (error) {
      if (!(error instanceof BadValue || error instanceof SyntaxError)) throw error;
      problems.push(`--${name} ${detailOf(error)}`);
      return undefined;
    }
  };
  const lines = read('lines', integer(0, 1_000_000));
  const since = read('since', (value) => parseMoment(value, now));
  const grep = read('grep', (value) => new RegExp(value, options.ignoreCase ? 'i' : ''));
  const both = Boolean(options.out) === Boolean(options.err);
  if (options.raw && json) problems.push('--raw and --json cannot be combined');
  if (problems.length > 0) throw failure('BAD_OPTION', { problems });
  const linesUntimed = lines ?? defaultLines;
  const streams: LogOrigin['stream'][] = both ? ['out', 'err'] : [options.out ? 'out' : 'err'];
  const format: LogFormat = options.raw ? 'raw' : json ? 'json' : 'prefixed';
  return {
    past: { lines: since === undefined ? linesUntimed : lines, linesUntimed, since },
    // Lines are decoded only if there is a pattern.
    matches: grep ? (line: Buffer) => grep.test(line.toString()) !== Boolean(options.invert) : () => true,
    streams,
    /** Whether lines say where processes were started: not among those that a pattern selects. */
    showsStarts: format === 'prefixed' && !grep,
    look: { format, timestamp: Boolean(options.timestamp) },
  };
}

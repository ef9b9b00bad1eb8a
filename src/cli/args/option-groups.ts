// In which order help shows the options of a command that has many of them, and under which headings.
import { longFlag } from './flags.ts';

const flags = (names: string) => names.split(' ').map((name) => `--${name}`);

/** By their long names. The first ten are what people use most; what is not named here comes last. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Common options': flags('name instances watch cwd env node-args log max-memory-restart no-autorestart force'),
  'File server': flags('port host spa basic-auth-username basic-auth-password'),
  Foreground: flags('exit-on stop-timeout rewrite signal-group log-level health-port'),
  Program: flags('interpreter interpreter-args namespace filter-env stdin pid-file uid gid groups pass-env umask'),
  Limits: flags('cpu memory pids nice ulimit oom-score-adj'),
  Restarts: [
    ...flags(
      'max-restarts restart-window restart-delay exp-backoff-restart-delay min-uptime stop-exit-codes retry-after',
    ),
    ...flags('on-giveup on-death ignore-watch watch-delay cron-restart max-requests max-age watchdog detect-leaks'),
  ],
  'Start and stop': [
    ...flags('wait-ready listen-timeout no-wait kill-timeout stop-signal shutdown-with-message no-drain-on-crash'),
    ...flags('keep-orphans'),
  ],
  Probes: ['--ready-probe', '--live-probe'].flatMap((probe) =>
    ['', '-interval', '-timeout', '-failures', '-successes', '-initial-delay'].map((part) => `${probe}${part}`),
  ),
  Sockets: flags('listen listen-each schedule'),
  Logs: [
    ...flags('output error merge-logs disable-logs time log-date-format log-prefix log-type log-merge-json'),
    ...flags('log-max-size log-keep log-rotate log-total no-log-compress'),
  ],
};

/** A command with fewer options is read at a glance. */
const few = 15;
export const commonOptions = 'Common options:';
export const otherOptions = 'Other options:';
const headings = Object.keys(groups);

/** The rows in the order of the groups; undefined where there are so few that they need none. */
export function groupedOptions<Row extends readonly [spelling: string, ...unknown[]]>(
  rows: readonly Row[],
): { heading: string; row: Row }[] | undefined {
  if (rows.filter(([, , hidden]) => hidden === undefined).length <= few) return undefined;
  const placed = rows.map((row) => ({ row, ...placeOf(row[0]) }));
  return placed.sort((one, other) => one.group - other.group || one.at - other.at);
}

function placeOf(spelling: string): { heading: string; group: number; at: number } {
  const name = longFlag(spelling);
  const group = headings.findIndex((heading) => groups[heading]!.includes(name));
  if (group < 0) return { heading: otherOptions, group: headings.length, at: 0 };
  const heading = headings[group]!;
  return { heading: `${heading}:`, group, at: groups[heading]!.indexOf(name) };
}

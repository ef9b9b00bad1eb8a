// The options of `nsv run` itself, besides the settings of its apps: rows of the option table.
import { type Field, field, optionalField, toggle } from './field.ts';
import { BadValue, duration, integer, listOf, oneOf, type Parser, signalName, text } from './parsers.ts';

/** Replaces a signal that nsv receives before it goes to the apps; `to` is null if they get none. */
export interface Rewriting {
  from: NodeJS.Signals;
  to: NodeJS.Signals | null;
}

/**
 * Signals that nsv does not handle. SIGKILL and SIGSTOP cannot be caught; SIGPIPE and SIGCHLD concern nsv's own pipes
 * and children; SIGILL, SIGFPE, SIGSEGV and SIGBUS mean a fault in nsv, and a process that catches one for a real fault
 * repeats the faulting instruction for ever (Node docs, "Signal events").
 */
export const unforwarded: readonly NodeJS.Signals[] = [
  ...(['SIGKILL', 'SIGSTOP', 'SIGPIPE', 'SIGCHLD'] as const),
  ...(['SIGILL', 'SIGFPE', 'SIGSEGV', 'SIGBUS'] as const),
];

const rewriting: Parser<Rewriting> = (input) => {
  const [first, second, ...more] = String(input).split(':');
  if (!first || !second || more.length > 0)
    throw new BadValue(`must be two signals such as TERM:QUIT, not ${JSON.stringify(input)}`);
  const from = signalName(first);
  if (unforwarded.includes(from))
    throw new BadValue(`must start with a signal that nsv can catch, not ${from} (${JSON.stringify(input)})`);
  return { from, to: second === '0' ? null : signalName(second) };
};

/** Each includes those that follow it. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const runFields = {
  exitOn: field({
    flag: '--exit-on <when>',
    doc: 'exit when "all" or "any" of the apps have exited, on "first-failure", or with the app of this name',
    parse: text,
    default: 'all',
  }),
  stopTimeout: field({
    flag: '--stop-timeout <duration>',
    doc: 'time limit for stopping all apps, whatever their --kill-timeout',
    parse: duration,
    default: 10_000,
    shown: '10s',
  }),
  rewrite: field({
    flag: '--rewrite <signals...>',
    doc: 'TERM:QUIT sends SIGQUIT to the apps on SIGTERM; USR2:0 sends nothing',
    parse: listOf(rewriting),
    default: [],
  }),
  signalGroup: toggle('--signal-group', 'forward signals to the whole session of each app'),
  json: toggle('--json', 'print each line of output as a JSON object'),
  logLevel: field({
    flag: '--log-level <level>',
    doc: `level of nsv's own messages on standard error: ${logLevels.join(', ')}`,
    parse: oneOf(...logLevels),
    default: 'warn',
  }),
  healthPort: optionalField({
    flag: '--health-port <port>',
    doc: 'answer health probes on this port',
    parse: integer(1, 65_535),
    shown: 'none',
  }),
};

type Table = typeof runFields;

export type RunOptions = { [K in keyof Table]: Table[K] extends Field<infer T> ? T : never };

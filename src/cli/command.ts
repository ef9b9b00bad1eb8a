// The interface of a command, and the context it runs in.
import type { Dialect } from '../config/config-file.ts';
import type { Connection } from '../ipc/client.ts';
import type { EventView, JournalEnd } from '../ipc/journal/event-views.ts';
import type { Client, Report } from '../ipc/protocol.ts';
import type { ProcessView } from '../ipc/views.ts';
import { isFailure, type NsvError } from '../shared/errors.ts';
import type { Terminal } from './render/terminal.ts';

/** A spelling (an option or argument in commander's syntax, or an example) and a one-line description. */
export type HelpRow = readonly [spelling: string, about: string];

/** Neither is shown. `alias`: another name of an option. `unlisted`: the help says in a sentence which there are. */
export type OptionRow = readonly [spelling: string, about: string, hidden?: 'alias' | 'unlisted' | undefined];

export interface Command {
  summary: string;
  /** Longer help, shown below the options. */
  notes?: string;
  arguments?: readonly HelpRow[];
  options?: readonly OptionRow[];
  examples: readonly HelpRow[];
  run(context: Context, input: Input): Promise<void>;
}

/** The headings of `nsv --help`, in their order. */
export const commandGroups = {
  start: 'Start and stop',
  look: 'Look inside',
  logs: 'Logs',
  config: 'Config and boot',
  containers: 'Containers and supervisors',
  pm2: 'From PM2',
} as const;

export interface CommandEntry {
  /** The name, followed by its aliases. */
  names: readonly [string, ...string[]];
  /** Where the overview has it. Without one it is not there, as what is an action of another command. */
  group?: keyof typeof commandGroups;
  /** Only its name is in `nsv --help`, which fits one screen. */
  minor?: true;
  load: () => Promise<Command>;
  /** For shells, not for users: not shown in help. */
  hidden?: true;
  /** The command parses its own command line. */
  raw?: true;
}

/** What the user typed for one command. */
export interface Input {
  words: string[];
  /** Only the given options, by commander's names: `--no-wait` is `{ wait: false }`. */
  options: Readonly<Record<string, string | string[] | boolean>>;
  /** How many of the last words came after `--`. */
  afterDashes: number;
}

export interface Output {
  terminal: Terminal;
  /** `--json`: only JSON goes to standard output. */
  json: boolean;
  /** Whose words are used. Scripts look for PM2's. Default: nsv's. */
  dialect?: Dialect;
  /** Writes a line to standard output. */
  write(text: string): void;
  /** Writes a line to standard error. */
  note(text: string): void;
  /** Shows on a terminal what the command is waiting for, until it writes something. A lasting text is written as a note. */
  progress: Report;
  /** Writes an error to standard error. */
  report(error: NsvError): Promise<void>;
  /** Writes bytes to standard output unchanged. Resolves when the reader has kept up. */
  pass(bytes: Uint8Array): Promise<void>;
  /** Ends the command as soon as the reader of standard output is gone, not only at the next line. */
  endWithReader(): void;
}

/** Where the events of a daemon begin: what was before is in the journal. */
export interface FollowingStart {
  /** The pid of the daemon. */
  daemon: number;
  end: JournalEnd;
}

export interface Context {
  out: Output;
  /** Writes notices about a config file to standard error, unless an earlier command has done so. */
  printNotices(about: { file: string | undefined; shown: string }, notices: readonly string[]): void;
  /** Every command of nsv. */
  commands: readonly CommandEntry[];
  /** Tells the daemon's journal what the user typed. `text` is called if that is needed. */
  introduce(text: () => string): void;
  /** Runs another command line of nsv. Throws like its command. */
  run(argv: readonly string[], context: Context): Promise<void>;
  cwd: string;
  /** How config files are read. Default: nsv. */
  dialect?: Dialect;
  /** The environment of the caller's shell. */
  env: Record<string, string>;
  /** Reads standard input in chunks. */
  input(): AsyncIterable<string>;
  /**
   * Connects to the daemon; launches it first if `launch` is set. `anyVersion` accepts a daemon with another protocol
   * version: `ping`, `upgrade` and `kill` are the same in all. `isUpdate`: a daemon that has died is continued by this
   * version. Throws DAEMON_NOT_RUNNING.
   */
  connect(how?: { launch: boolean; anyVersion?: boolean; isUpdate?: boolean }): Promise<Client>;
  /**
   * Passes events of the targets to `onEvent`, and continues with the successor after a hand-over. Resolves when the
   * daemon has ended; throws like `connect`, and NO_SUCH_APP. `begun` is called with each daemon before its first event.
   */
  follow(
    targets: string[],
    onEvent: (event: EventView) => void,
    begun?: (start: FollowingStart) => void,
  ): Promise<void>;
  /** Opens a separate connection, without showing progress. Throws like `connect`. */
  open(): Promise<Connection>;
  /** Asks the daemon silently; undefined if it is not running or does not answer properly. */
  ask<T>(question: (client: Client) => Promise<T>): Promise<T | undefined>;
  /** Closes the connection: following log files works without the daemon. */
  disconnect(): void;
  /** Waits until the connected daemon has exited. Throws DAEMON_SILENT after 10 s. */
  daemonExited(): Promise<void>;
}

export const jsonOption: OptionRow = ['--json', 'print JSON only'];
export const targetsArgument: HelpRow = ['<targets...>', 'names, ids, namespaces, "all" or /regex/'];
export const targetsOrConfigArgument: HelpRow = [targetsArgument[0], `${targetsArgument[1]}; or a config file`];
export const someTargetsArgument: HelpRow = ['[targets...]', `${targetsArgument[1]} (default: all)`];

/** The client, or undefined if no daemon is running. */
export async function clientIfRunning(
  context: Context,
  how?: Parameters<Context['connect']>[0],
): Promise<Client | undefined> {
  try {
    return await context.connect(how);
  } catch (error) {
    if (isFailure(error, 'DAEMON_NOT_RUNNING')) return undefined;
    throw error;
  }
}

/** The processes of the targets; if no daemon is running, an empty list and a note. */
export async function listIfRunning(context: Context, targets: string[]): Promise<ProcessView[]> {
  const client = await clientIfRunning(context);
  if (client) return client.list({ targets });
  context.out.note('nsv: no daemon is running');
  return [];
}

/** Whether the user answers the question with a "y". */
export async function isConfirmed({ out, input }: Context, question: string): Promise<boolean> {
  out.note(`nsv: ${question} [y/N]`);
  for await (const answer of input()) return /^y(es)?\s*$/i.test(answer.split('\n')[0]!);
  return false;
}

/** Returns the command, whose name may have two words ("logs rotate"), and the words after it. */
export function entryFor(
  entries: readonly CommandEntry[],
  argv: readonly string[],
): { entry: CommandEntry | undefined; rest: readonly string[] } {
  const find = (word: string) => entries.find(({ names }) => names.includes(word));
  const longer = find(argv.slice(0, 2).join(' '));
  if (longer && argv.length > 1) return { entry: longer, rest: argv.slice(longer.names[0].split(' ').length) };
  return { entry: find(argv[0] ?? ''), rest: argv.slice(1) };
}

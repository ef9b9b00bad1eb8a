// What a command is, and what it is given.
import type { Connection } from '../ipc/client.ts';
import type { Client } from '../ipc/protocol.ts';
import type { DaemonView, EventView, ProcessView } from '../ipc/views.ts';
import { isFailure } from '../shared/errors.ts';
import type { Terminal } from './render/terminal.ts';

/** A spelling (an option or an argument as commander writes it, or an example) and one line about it. */
export type HelpRow = readonly [spelling: string, about: string];

/** `former`: a name that still works, and is not shown. */
export type OptionRow = readonly [spelling: string, about: string, former?: 'former' | undefined];

export interface Command {
  summary: string;
  /** Longer help, shown below the options. */
  notes?: string;
  arguments?: readonly HelpRow[];
  options?: readonly OptionRow[];
  examples: readonly HelpRow[];
  run(context: Context, input: Input): Promise<void>;
}

/** What the user typed for one command. */
export interface Input {
  words: string[];
  /** Only what was given, by commander's name for it: `--no-wait` is `{ wait: false }`. */
  options: Readonly<Record<string, string | string[] | boolean>>;
  /** How many of the last words came after `--`. */
  afterDashes: number;
}

export interface Output {
  terminal: Terminal;
  /** `--json`: nothing but JSON on standard output. */
  json: boolean;
  /** Writes to standard output and ends the line. */
  write(text: string): void;
  /** Writes to standard error and ends the line. */
  note(text: string): void;
  /** Writes to standard output what is there, byte for byte. Resolves when its reader is not behind. */
  pass(bytes: Uint8Array): Promise<void>;
}

export interface Context {
  out: Output;
  cwd: string;
  /** The environment of the caller's shell. */
  env: Record<string, string>;
  /** What comes on standard input, piece by piece. */
  input(): AsyncIterable<string>;
  /**
   * Reaches the daemon, and launches it first where that is allowed. `anyVersion`: even one that speaks another protocol, of
   * which `ping`, `upgrade` and `kill` are the same in all. Throws DAEMON_NOT_RUNNING.
   */
  connect(how?: { launch: boolean; anyVersion?: boolean }): Promise<Client>;
  /** Hears what happens to the targets, also from the daemon after this one. Resolves when the daemon has ended; throws as `connect`, and NO_SUCH_APP. */
  follow(targets: string[], hear: (event: EventView) => void): Promise<void>;
  /** A connection of its own, without a word on the terminal about what it waits for. Throws as `connect`. */
  open(): Promise<Connection>;
  /** Asks a daemon in passing, without a word about it; undefined when it does not run or does not answer as it should. */
  ask<T>(question: (client: Client) => Promise<T>): Promise<T | undefined>;
  /** What the daemon is, of whatever version; undefined when none runs, and none is launched. */
  daemon(): Promise<DaemonView | undefined>;
  /** Lets go of the daemon: what follows log files goes on without it. */
  disconnect(): void;
  /** Waits until the daemon that this command has reached is gone. Throws DAEMON_SILENT after 10 s. */
  farewell(): Promise<void>;
}

export const jsonOption: OptionRow = ['--json', 'print JSON only'];
export const targetsArgument: HelpRow = ['<targets...>', 'names, ids, namespaces, "all" or /regex/'];
export const targetsOrConfigArgument: HelpRow = [targetsArgument[0], `${targetsArgument[1]}; or a config file`];
export const someTargetsArgument: HelpRow = ['[targets...]', `${targetsArgument[1]} (default: all)`];

/** The client, or undefined where no daemon runs. */
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

/** The processes of the targets; none, and a note of it, where no daemon runs. */
export async function listIfRunning(context: Context, targets: string[]): Promise<ProcessView[]> {
  const client = await clientIfRunning(context);
  if (client) return client.list({ targets });
  context.out.note('nsv: no daemon is running');
  return [];
}

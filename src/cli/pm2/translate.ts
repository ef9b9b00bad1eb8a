// Translates a PM2 command line to nsv. Pure.
import { isConfigFile } from '../../config/config-file.ts';
import { failure } from '../../shared/errors.ts';
import { didYouMean, nearest } from '../../shared/nearest.ts';
import { missing, type Pm2Command, pm2Commands } from './commands.ts';
import { type Audience, pm2NameOf, wordsFor } from './flags.ts';
import { type Pm2Words, pm2Words } from './words.ts';

export interface Translation {
  command: Pm2Command;
  /** The command of nsv. */
  nsv: readonly string[];
  /** The words of the PM2 command: apps or files. */
  words: string[];
  /** What follows the words in nsv's command line. */
  tail: string[];
  /** Messages for standard error. */
  remarks: string[];
  colourless: boolean;
  silent: boolean;
  /** `--attach`: show the logs afterwards. */
  attach: boolean;
}

/** Throws BAD_USAGE, and PM2_ONLY for features that nsv does not have. */
export function translate(argv: readonly string[]): Translation {
  // Before its flags, which are not known here.
  if (argv[0] !== undefined) rejectMissing(argv[0]);
  const read = pm2Words(argv);
  const [name = 'help', ...words] = read.words;
  const has = (flag: string) => read.flags.some(({ flag: given }) => pm2NameOf(given) === flag);
  if (has('--version')) return plain(['--version']);
  const [asked] = name === 'help' ? words : [name];
  if (asked === undefined) return plain(['--help']);
  const command = commandOf(asked);
  if (asked !== name || has('--help')) return plain([...command.nsv, '--help']);
  const isForeground = has('--no-daemon') && command.nsv[0] === 'start';
  const heeds = isForeground ? (['app', 'config'] satisfies Audience[]) : command.heeds;
  const heeded = read.flags.filter(
    ({ flag }) => heeds.includes(flag.for) && (flag.for !== 'config' || hasConfig(words)),
  );
  rejectFlags(name, heeded);
  return {
    command,
    nsv: isForeground ? ['run'] : command.nsv,
    words,
    tail: [
      ...joined(
        heeded.filter(({ flag }) => !flag.ignored && !flag.remark),
        command.targets ? ['--cron-restart=null'] : [],
      ),
      ...argumentsOf(read),
    ],
    remarks: heeded.flatMap(({ flag }) => flag.remark ?? []),
    colourless: has('--no-color'),
    silent: has('--silent') && !command.speaks,
    attach: has('--attach') && !isForeground,
  };
}

function plain(nsv: string[]): Translation {
  const command: Pm2Command = { names: ['help'], nsv, heeds: [], speaks: true };
  return { command, nsv, words: [], tail: [], remarks: [], colourless: false, silent: false, attach: false };
}

function commandOf(name: string): Pm2Command {
  const command = pm2Commands.find(({ names }) => names.includes(name));
  if (command) return command;
  rejectMissing(name);
  const guess = nearest(
    name,
    pm2Commands.flatMap(({ names }) => names),
  );
  const detail = `PM2 has no command "${name}"${didYouMean(guess)}`;
  throw failure('BAD_USAGE', { detail });
}

function rejectMissing(name: string): void {
  const lacking = missing.find(({ names }) => names.includes(name));
  if (lacking) throw failure('PM2_ONLY', { what: `pm2 ${name}`, instead: lacking.instead });
}

function rejectFlags(name: string, heeded: Pm2Words['flags']): void {
  for (const { flag } of heeded) {
    if (flag.refusal) throw failure('PM2_ONLY', { what: `pm2 ${name} ${pm2NameOf(flag)}`, instead: flag.refusal });
  }
}

const noSchedule = '--cron-restart=0';

/**
 * Merges the values of `--node-args`, which may come from two PM2 flags, into one flag. `takenAway`: what takes a schedule away
 * from an app that exists.
 */
function joined(flags: Pm2Words['flags'], takenAway: string[]): string[] {
  const words = flags.flatMap(({ flag, value }) => wordsFor(flag, value));
  const isNodeArgs = (word: string) => word.startsWith('--node-args=');
  const nodeArgs = words.filter(isNodeArgs).map((word) => word.slice('--node-args='.length));
  const others = words.filter((word) => !isNodeArgs(word)).flatMap((word) => (word === noSchedule ? takenAway : word));
  return nodeArgs.length > 0 ? [...others, `--node-args=${nodeArgs.join(' ')}`] : others;
}

function argumentsOf({ args }: Pm2Words): string[] {
  return args ? ['--', ...args] : [];
}

/** `--env` and `--only` apply to a config file only. */
function hasConfig(words: readonly string[]): boolean {
  return words.length === 0 || words.some(isConfigFile);
}

// Parses a PM2 command line, whose flags may appear anywhere before `--`, even before the command, and translates it to nsv. Pure.
import { isConfigFile } from '../../config/config-file.ts';
import { failure } from '../../shared/errors.ts';
import { didYouMean, nearest } from '../../shared/nearest.ts';
import { missing, type Pm2Command, pm2Commands } from './commands.ts';
import { type Audience, type Pm2Flag, pm2Flags, pm2NameOf, pm2NamesOf, runtimeFlags, wordsFor } from './flags.ts';

export interface Translation {
  command: Pm2Command;
  /** The command of nsv. */
  nsv: readonly string[];
  /** The words of the PM2 command: apps or files. */
  words: string[];
  /** What follows the words in nsv's command line. */
  tail: string[];
  /** Messages for standard error. */
  notices: string[];
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
    ...following(heeded, read.args, command.targets ? ['--cron-restart=null'] : []),
    colourless: has('--no-color'),
    silent: has('--silent') && !command.speaks,
    attach: has('--attach') && !isForeground,
  };
}

/**
 * The command line of pm2-runtime, which runs what it names in the foreground. Flags that it does not know are ignored, as there.
 * Throws like `translate`.
 */
export function translateRuntime(argv: readonly string[]): Translation {
  const strange: string[] = [];
  const { words, ...read } = pm2Words(argv, runtimeKnown, (word) => strange.push(word));
  const named = words[0] === 'start' ? words.slice(1) : words;
  const has = (flag: string) => read.flags.some(({ flag: given }) => pm2NameOf(given) === flag);
  if (has('--version')) return plain(['--version']);
  if (has('--help')) return plain(['run', '--help']);
  if (named.length === 0) throw failure('BAD_USAGE', { detail: 'no app was given: pm2-runtime <file>' });
  const heeded = read.flags.filter(({ flag }) => flag.for === 'app' || (flag.for === 'config' && hasConfig(named)));
  rejectFlags('runtime', heeded);
  const { tail, notices } = following(heeded, read.args, []);
  const passedOver = strange.map((word) => `${word} is ignored: pm2-runtime has no such option`);
  return { ...plain(['run']), words: named, tail, notices: [...passedOver, ...notices] };
}

function plain(nsv: string[]): Translation {
  const command: Pm2Command = { names: ['help'], nsv, heeds: [], speaks: true };
  return { command, nsv, words: [], tail: [], notices: [], colourless: false, silent: false, attach: false };
}

function commandOf(name: string): Pm2Command {
  const command = pm2Commands.find(({ names }) => names.includes(name));
  if (command) return command;
  rejectMissing(name);
  const all = pm2Commands.flatMap(({ names }) => names);
  throw failure('BAD_USAGE', { detail: `PM2 has no command "${name}"${didYouMean(nearest(name, all))}` });
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

/** What follows the words of the command, and what is said about flags without effect. `takenAway`: see `joined`. */
function following(heeded: Pm2Words['flags'], args: Pm2Words['args'], takenAway: string[]) {
  const effective = heeded.filter(({ flag }) => !flag.ignored && !flag.notice);
  return {
    tail: [...joined(effective, takenAway), ...(args ? ['--', ...args] : [])],
    notices: heeded.flatMap(({ flag }) => flag.notice ?? []),
  };
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

/** `--env` and `--only` apply to a config file only. */
function hasConfig(words: readonly string[]): boolean {
  return words.length === 0 || words.some(isConfigFile);
}

interface Pm2Words {
  /** The command and its words. */
  words: string[];
  /** In the order typed; `value` is empty if there is none. */
  flags: { flag: Pm2Flag; value: string }[];
  /** The words after `--`, if it is given. */
  args: string[] | undefined;
}

type Flags = ReadonlyMap<string, Pm2Flag>;
const byName = (flags: readonly Pm2Flag[]): Flags =>
  new Map(flags.flatMap((flag) => pm2NamesOf(flag).map((name) => [name, flag] as const)));
const known = byName(pm2Flags);
const runtimeKnown = byName([...pm2Flags, ...runtimeFlags]);
const commandNames = new Set([...pm2Commands, ...missing].flatMap(({ names }) => names));

/** Throws BAD_USAGE for a flag without its value, and for an unknown one unless that is to be passed over. */
function pm2Words(argv: readonly string[], flags = known, passOver?: (word: string) => void): Pm2Words {
  const dashes = argv.indexOf('--');
  const own = dashes < 0 ? [...argv] : argv.slice(0, dashes);
  const read: Pm2Words = { words: [], flags: [], args: dashes < 0 ? undefined : argv.slice(dashes + 1) };
  for (let word = own.shift(); word !== undefined; word = own.shift()) {
    if (isWord(word)) read.words.push(word);
    else if (passOver && !flags.has(cut(word).name)) passOver(word);
    else read.flags.push(flagOf(word, own, flags, read.words.length > 0));
  }
  read.flags = read.flags.filter((given) => !saysNothing(given));
  return withoutSwallowed(read);
}

/** For example `--node-args "$NODE_ARGS"` with an empty variable. */
function saysNothing({ flag, value }: Pm2Words['flags'][number]): boolean {
  return flag.spelling.endsWith('>') && value === '';
}

/** `-` (standard input) and `-2` (two fewer) are words. */
function isWord(word: string): boolean {
  return !word.startsWith('-') || /^-\d*$/.test(word);
}

function flagOf(word: string, rest: string[], flags: Flags, hasCommand: boolean): Pm2Words['flags'][number] {
  const { name, value } = cut(word);
  const flag = flags.get(name);
  if (!flag) throw failure('BAD_USAGE', { detail: unknownFlag(name) });
  if (flag.spelling.endsWith(']')) return { flag, value: value ?? optionalValue(rest, hasCommand) };
  if (!flag.spelling.endsWith('>')) {
    if (value !== undefined && name.startsWith('--'))
      throw failure('BAD_USAGE', { detail: `${name} takes no value, unlike "${word}"` });
    // `-sf` means `-s -f`.
    if (value !== undefined) rest.unshift(`-${value}`);
    return { flag, value: '' };
  }
  const given = value ?? rest.shift();
  if (given === undefined) throw failure('BAD_USAGE', { detail: `${name} needs a value` });
  return { flag, value: flag.spelling.endsWith('...>') ? [given, ...numbersOf(rest)].join(' ') : given };
}

/** The numbers that follow. PM2 would consume any words here, even the name of the script. */
function numbersOf(rest: string[]): string[] {
  const end = rest.findIndex((word) => !/^\d+$/.test(word));
  return rest.splice(0, end < 0 ? rest.length : end);
}

/** Splits `--name=web` and `-i4` into name and value. */
function cut(word: string): { name: string; value: string | undefined } {
  const [, long, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  if (long !== undefined) return { name: long, value };
  if (!word.startsWith('--') && word.length > 2) return { name: word.slice(0, 2), value: word.slice(2) };
  return { name: word, value: undefined };
}

/** The next word, unless it is the command. */
function optionalValue(rest: string[], hasCommand: boolean): string {
  const [next] = rest;
  if (next === undefined || next.startsWith('-') || (!hasCommand && commandNames.has(next))) return '';
  rest.shift();
  return next;
}

/** In `pm2 start --watch app.js`, the parser took the program for a path to watch. */
function withoutSwallowed(read: Pm2Words): Pm2Words {
  const last = read.flags.findLast(({ flag }) => pm2NameOf(flag) === '--watch');
  if (read.words.length !== 1 || !last?.value) return read;
  read.words.push(last.value);
  last.value = '';
  return read;
}

function unknownFlag(name: string): string {
  const guess = name.startsWith('--') ? nearest(name, [...known.keys()]) : undefined;
  return `PM2 has no option "${name}"${didYouMean(guess)}`;
}

// Parses a PM2 command line: flags may appear anywhere before `--`, even before the command.
import { failure } from '../../shared/errors.ts';
import { didYouMean, nearest } from '../../shared/nearest.ts';
import { missing, pm2Commands } from './commands.ts';
import { type Pm2Flag, pm2Flags, pm2NameOf, pm2NamesOf } from './flags.ts';

export interface Pm2Words {
  /** The command and its words. */
  words: string[];
  /** In the order typed; `value` is empty if there is none. */
  flags: { flag: Pm2Flag; value: string }[];
  /** The words after `--`, if it is given. */
  args: string[] | undefined;
}

const known = new Map(pm2Flags.flatMap((flag) => pm2NamesOf(flag).map((name) => [name, flag] as const)));
const commandNames = new Set([...pm2Commands, ...missing].flatMap(({ names }) => names));

/** Throws BAD_USAGE for an unknown flag, and for a flag without its value. */
export function pm2Words(argv: readonly string[]): Pm2Words {
  const dashes = argv.indexOf('--');
  const own = dashes < 0 ? [...argv] : argv.slice(0, dashes);
  const read: Pm2Words = { words: [], flags: [], args: dashes < 0 ? undefined : argv.slice(dashes + 1) };
  for (let word = own.shift(); word !== undefined; word = own.shift()) {
    if (isWord(word)) read.words.push(word);
    else read.flags.push(flagOf(word, own, read.words.length > 0));
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

function flagOf(word: string, rest: string[], hasCommand: boolean): Pm2Words['flags'][number] {
  const { name, value } = cut(word);
  const flag = known.get(name);
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

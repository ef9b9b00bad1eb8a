// Finds and runs the command named on the command line. Loads only that command.
import { failure } from '../shared/errors.ts';
import { didYouMean, nearest } from '../shared/nearest.ts';
import { version } from '../shared/version.ts';
import { commandText } from './args/command-text.ts';
import { type Command, type CommandEntry, type Context, entryFor, type Input } from './command.ts';

/** Runs `argv` (without program and script). Throws only NsvErrors, except for bugs in nsv. */
export async function runProgram(argv: readonly string[], context: Context): Promise<void> {
  const [word = '--help'] = argv;
  if (['--version', '-v', '-V'].includes(word)) return context.out.write(version);
  if (word === 'help' && argv[1]) return runProgram([...argv.slice(1), '--help'], context);
  if (['--help', '-h', 'help'].includes(word)) return printHelp(context);
  const { entry, rest } = entryFor(context.commands, argv);
  if (!entry) throw failure('BAD_USAGE', { detail: await unknownCommand(word, context.commands) });
  if (!entry.raw && isHelpAll(rest)) return printHelp(context, entry, true);
  const command = await entry.load();
  const input = await inputOf(entry, command, rest, () => namesOf(context));
  if (input) context.introduce(() => commandText(entry.names[0], entry.raw ? { ...input, words: [] } : input));
  await (input ? command.run(context, input) : printHelp(context, entry));
}

/** `whole`: with all options explained. */
async function printHelp({ out, commands }: Context, entry?: CommandEntry, whole = false): Promise<void> {
  const { renderCommandHelp, renderHelp } = await import('./frequent-commands.ts');
  const { columns } = out.terminal;
  out.write(await (entry ? renderCommandHelp(entry, columns, whole) : renderHelp(commands, columns)));
}

/** Not if it is for the program. */
function isHelpAll(argv: readonly string[]): boolean {
  const dashes = argv.indexOf('--');
  return argv.slice(0, dashes < 0 ? argv.length : dashes).includes('--help-all');
}

/** Skips commander, which takes 3 ms to load, if there are no options to parse: `nsv list` must be fast. */
async function inputOf(
  entry: CommandEntry,
  command: Command,
  argv: readonly string[],
  names: () => Promise<string[]>,
): Promise<Input | undefined> {
  if (entry.raw) return { words: [...argv], options: {}, afterDashes: 0 };
  const words = argv.filter((word) => word !== '--json');
  const isPlain = takes(command, words) && !words.some((word) => word.startsWith('-'));
  if (isPlain) return { words, options: words.length < argv.length ? { json: true } : {}, afterDashes: 0 };
  return (await import('./frequent-commands.ts')).parseInput(entry, command, argv, names);
}

/** The apps that there are; empty without a daemon. */
async function namesOf(context: Context): Promise<string[]> {
  const processes = (await context.ask((client) => client.list({ targets: [] }))) ?? [];
  return [...new Set(processes.map(({ name }) => name))];
}

/** Whether it takes these words, as far as that is plain: any words, or none. */
function takes({ arguments: [first, ...others] = [] }: Command, words: readonly string[]): boolean {
  if (first === undefined) return words.length === 0;
  return others.length === 0 && /^\[.+\.\.\.\]$/.test(first[0]);
}

/** For a command of PM2 that nsv does not have by this name, says what to do instead. */
async function unknownCommand(word: string, commands: readonly CommandEntry[]): Promise<string> {
  const { insteadOf } = await import('./lazy-commands.ts');
  const instead = insteadOf(word);
  if (instead !== undefined) return `there is no command "${word}": ${instead}`;
  const known = commands.filter(({ hidden }) => !hidden).flatMap(({ names }) => names);
  return `there is no command "${word}"${didYouMean(nearest(word, known))}`;
}

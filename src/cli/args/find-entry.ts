// Finds the command that the first words of a command line name.
import type { CommandEntry } from '../command.ts';

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

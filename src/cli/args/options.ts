// Parses the options of a command with commander, and renders help. Loaded only if one of these is needed.
import { Command as Commander, CommanderError, Option } from 'commander';
import { failure } from '../../shared/errors.ts';
import { didYouMean, nearest } from '../../shared/nearest.ts';
import { type Command, type CommandEntry, commandGroups, type Input, type OptionRow } from '../command.ts';
import { hanging } from '../render/width.ts';
import { longFlag } from './flags.ts';
import { commonOptions, groupedOptions, otherOptions } from './option-groups.ts';

/** Undefined if the user asked for help. `names`: the apps that there are, for a message. Throws BAD_USAGE. */
export async function parseInput(
  entry: CommandEntry,
  definition: Command,
  argv: readonly string[],
  names: () => Promise<string[]>,
): Promise<Input | undefined> {
  const command = added(new Commander('nsv'), entry, definition, 80);
  for (const row of optionsIn(argv, definition)) addOption(command, row);
  try {
    command.parse(argv, { from: 'user' });
    return inputOf(command, argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    const detail = `nsv ${entry.names[0]}: ${inOneLine(error.message)}`;
    const isBare = error.code === 'commander.missingArgument' && detail.includes("'targets'");
    throw failure('BAD_USAGE', {
      detail: `${detail}${isBare ? choiceOf(await names()) : guessFor(error, definition)}`,
    });
  }
}

/** The help of one command for a terminal of the given width. Of many options, only the common ones are explained unless it is `whole`. */
export async function renderCommandHelp(entry: CommandEntry, columns: number, whole: boolean): Promise<string> {
  return rendered(documented(new Commander('nsv'), entry, await entry.load(), { columns, whole }));
}

/** The overview of all commands. */
export async function renderHelp(entries: readonly CommandEntry[], columns: number): Promise<string> {
  const program = configured(new Commander('nsv'), columns)
    .usage('<command> [options]')
    .helpCommand(false)
    .helpOption(false)
    .addHelpText('after', '\nOptions and examples: nsv <command> --help. Version: nsv --version.');
  for (const [group, heading] of Object.entries(commandGroups)) {
    const members = entries.filter((entry) => entry.group === group);
    program.commandsGroup(`${heading}:`);
    for (const each of members)
      if (!each.minor) documented(program, each, await each.load(), { columns, whole: false });
    const others = members.filter(({ minor }) => minor).map(({ names }) => names[0]);
    // Not commands, but rows like those of commands.
    for (const [row, names] of inRows(others).entries())
      program.command(`also-${group}-${row}`).name('also:').summary(names);
  }
  return rendered(program);
}

/** Joins names to lines that fit beside the names of commands, in 80 columns. */
function inRows(names: readonly string[]): string[] {
  const rows: string[] = [];
  for (const name of names) {
    const longer = rows.length > 0 ? `${rows.at(-1)}, ${name}` : name;
    if (rows.length > 0 && longer.length <= 64) rows[rows.length - 1] = longer;
    else rows.push(name);
  }
  return rows;
}

/** Of `--live-probe` and four flags that begin with it, one remains. */
function folded(flags: readonly string[]): string[] {
  const partsOf = (flag: string) => flags.filter((other) => other.startsWith(`${flag}-`)).length;
  const isPart = (flag: string) => flags.some((whole) => flag.startsWith(`${whole}-`) && partsOf(whole) > 2);
  return flags.filter((flag) => !isPart(flag)).map((flag) => (partsOf(flag) > 2 ? `${flag}[-…]` : flag));
}

/** Adds a command with its arguments, without options. */
function added(program: Commander, { names: [name] }: CommandEntry, definition: Command, columns: number): Commander {
  // Commander takes the second word of a name for an argument, so the full name is set afterwards.
  const command = configured(program.command(name.replace(' ', '-')), columns).name(name);
  for (const [spelling, about] of definition.arguments ?? []) command.argument(spelling, about);
  return command.action(() => {});
}

/** Those that may occur in these words. `nsv start` has eighty, and commander needs 40 us for each. */
function optionsIn(argv: readonly string[], { options = [] }: Command): OptionRow[] {
  const flags = new Set(argv.map((word) => word.replace(/=.*/s, '')));
  const hasShort = argv.some((word) => /^-[^-]/.test(word));
  return options.filter(([spelling]) => flags.has(longFlag(spelling)) || (hasShort && /^-[^-]/.test(spelling)));
}

/** Adds a command with everything that its help shows. */
function documented(
  program: Commander,
  entry: CommandEntry,
  definition: Command,
  { columns, whole }: { columns: number; whole: boolean },
) {
  const [name, ...aliases] = entry.names;
  const command = added(program, entry, definition, columns).aliases(aliases).summary(definition.summary);
  const summary = `${definition.summary[0]!.toUpperCase()}${definition.summary.slice(1)}.`;
  command.description(`${summary}\n\n${examplesOf(definition)}`);
  const rows = definition.options ?? [];
  const grouped = groupedOptions(rows);
  const isShort = grouped !== undefined && !whole;
  for (const { row, heading } of grouped ?? rows.map((row) => ({ row, heading: undefined })))
    addOption(command, row, heading, isShort && heading !== commonOptions);
  if (grouped) command.addHelpOption(helpOption().helpGroup(isShort ? commonOptions : otherOptions));
  const closing = isShort ? otherNames(grouped, name, columns) : notesOf(command, definition, columns);
  return command.addHelpText('after', closing);
}

function configured(command: Commander, columns: number): Commander {
  return (
    command
      .exitOverride()
      .showSuggestionAfterError(false)
      .addHelpOption(helpOption())
      // The longest flag leaves 36 of 80 columns, and by default commander does not wrap below 40.
      // In the overview, arguments and aliases are left out: they are in the help of each command.
      .configureHelp({ minWidthToWrap: 24, subcommandTerm: (each) => each.name() })
      .configureOutput({
        writeOut: () => {},
        writeErr: () => {},
        getOutHelpWidth: () => columns,
        getOutHasColors: () => false,
      })
  );
}

function helpOption(): Option {
  return new Option('-h, --help', 'print this help');
}

/** Renders help including the text of `addHelpText`, which `helpInformation` omits. */
function rendered(command: Commander): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text.trimEnd();
}

/** `<value...>` may be given again and again, one value each: commander's own way would swallow the words after it. */
function addOption(
  command: Commander,
  [spelling, about, hidden]: OptionRow,
  heading?: string,
  isLeftOut = false,
): void {
  const isRepeated = spelling.includes('...');
  const option = new Option(spelling.replace('...', ''), isRepeated ? `${about}; may be repeated` : about);
  if (isRepeated) option.argParser((value, all: string[] = []) => [...all, value]);
  if (heading !== undefined) option.helpGroup(heading);
  command.addOption(option.hideHelp(isLeftOut || hidden !== undefined));
}

function examplesOf({ examples }: Command): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, about]) => `  ${line.padEnd(width)}  ${about}`);
  return ['Examples:', ...lines].join('\n');
}

function notesOf(command: Commander, { notes }: Command, columns: number): string {
  const help = command.createHelp();
  const paragraphs = (notes?.split('\n\n') ?? []).map((text) => help.boxWrap(text.replaceAll('\n', ' '), columns));
  return paragraphs.map((text) => `\n${text}`).join('\n');
}

/** The names of the options that are not explained, by group. */
function otherNames(options: NonNullable<ReturnType<typeof groupedOptions>>, name: string, columns: number): string {
  const shown = options.filter(({ heading, row: [, , hidden] }) => heading !== commonOptions && hidden === undefined);
  const headings = [...new Set(shown.map(({ heading }) => heading))];
  const groups = headings.map((heading) => {
    const flags = shown.filter((option) => option.heading === heading).map(({ row: [spelling] }) => longFlag(spelling));
    return hanging(`  ${heading} ${folded(flags).join(' ')}`, '    ', columns);
  });
  return ['', 'More options:', ...groups, '', `"nsv ${name} --help-all" explains them all.`].join('\n');
}

function inputOf(command: Commander, argv: readonly string[]): Input {
  const dashes = argv.indexOf('--');
  const given = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli');
  return {
    words: command.args,
    options: Object.fromEntries(given),
    afterDashes: dashes < 0 ? 0 : argv.length - dashes - 1,
  };
}

/** Commander's own guess for an unknown option takes `--cron` for `--json`. */
function guessFor(error: CommanderError, { options = [] }: Command): string {
  const [, word] = /^error: unknown option '([^'=]+)/.exec(error.message) ?? [];
  const known = options.filter(([, , hidden]) => hidden === undefined).map(([spelling]) => longFlag(spelling));
  return didYouMean(word === undefined ? undefined : nearest(word, [...known, '--help']));
}

const mostNamed = 10;

function choiceOf(names: readonly string[]): string {
  if (names.length === 0) return '';
  const others = names.length > mostNamed ? `${names.length - mostNamed} others, ` : '';
  return `: ${names.slice(0, mostNamed).join(', ')}, ${others}or all`;
}

/** Commander's message without its prefix, in one line. */
function inOneLine(message: string): string {
  return message.replace(/^error: /, '').replaceAll('\n', ' ');
}

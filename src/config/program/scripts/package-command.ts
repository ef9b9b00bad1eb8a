// Command lines of npm, yarn, pnpm and npx: which script of package.json, or which program of a package, they run. Pure.

/** What the words after the name of a manager ask for. */
export interface PackageCommand {
  /** `script`: only a script of package.json; `program`: only one in node_modules/.bin; `either`: a script before a program. */
  kind: 'script' | 'program' | 'either';
  name: string;
  args: string[];
  /** Where package.json is looked for, relative to the working directory. */
  directory?: string | undefined;
}

interface Manager {
  /** Options that choose the directory of the package. */
  directory: readonly string[];
  /** Options that change only what the manager itself prints or asks. */
  harmless: readonly string[];
  read(words: readonly string[]): Pick<PackageCommand, 'kind' | 'name' | 'args'> | undefined;
}

const managers: Record<string, Manager> = {
  npm: {
    directory: ['--prefix', '-C'],
    harmless: ['-s', '--silent'],
    read([word, ...rest]) {
      if (word === 'start') return ofName('script', word, passedByNpm(rest));
      if (word === 'run' || word === 'run-script') return ofName('script', rest[0], passedByNpm(rest.slice(1)));
      if (word !== 'exec' && word !== 'x') return undefined;
      const [name, ...args] = passedByNpm(rest) ?? [];
      return ofName('program', name, args);
    },
  },
  yarn: { directory: ['--cwd'], harmless: ['-s', '--silent'], read: ofYarn },
  pnpm: { directory: ['--dir', '-C', '--prefix'], harmless: ['-s', '--silent'], read: ofYarn },
  npx: {
    directory: [],
    harmless: ['-y', '--yes', '--no', '--no-install', '--'],
    read: ([name, ...args]) => ofName('program', name, args),
  },
};

/** Commands of yarn and pnpm themselves that a package may have a script for: the command wins, and runs more than that. */
const ownCommands = 'add audit dlx init install link pack publish rebuild remove version'.split(' ');

/** Whether the word is the name of a package manager. */
export function isManager(word: string): boolean {
  return Object.hasOwn(managers, word);
}

/** Undefined for all other words: of another program, or with options that nsv does not know. */
export function parsePackageCommand([first = '', ...words]: readonly string[]): PackageCommand | undefined {
  const manager = isManager(first) ? managers[first] : undefined;
  if (!manager) return undefined;
  let directory: string | undefined;
  let at = 0;
  for (; words[at]?.startsWith('-'); at += 1) {
    const [option = '', value] = words[at]!.split(/=(.*)/s, 2);
    if (manager.directory.includes(option)) {
      if (value === undefined) at += 1;
      directory = value ?? words[at];
    } else if (!manager.harmless.includes(words[at]!)) return undefined;
  }
  const command = manager.read(words.slice(at));
  return command && { ...command, ...(directory !== undefined && { directory }) };
}

type Read = ReturnType<Manager['read']>;

/** Undefined without a name, and for words that the manager itself would heed. */
function ofName(kind: PackageCommand['kind'], name: string | undefined, args: string[] | undefined): Read {
  return name === undefined || name.startsWith('-') || !args ? undefined : { kind, name, args };
}

/** npm takes options before `--` for its own. Undefined if there are any. */
function passedByNpm(words: readonly string[]): string[] | undefined {
  const end = words.indexOf('--');
  const before = end === -1 ? words : words.slice(0, end);
  const options = before.filter((word) => word.startsWith('-'));
  if (options.some((word) => word !== '-s' && word !== '--silent')) return undefined;
  return [...before.filter((word) => !options.includes(word)), ...(end === -1 ? [] : words.slice(end + 1))];
}

/** yarn and pnpm pass on all that follows, and need no `run`. */
function ofYarn([word, ...rest]: readonly string[]): Read {
  if (word === 'run') return ofName('either', rest[0], rest.slice(1));
  if (word === 'exec') return ofName('program', rest[0], rest.slice(1));
  if (word === 'start') return ofName('script', word, rest);
  return word === undefined || ownCommands.includes(word) ? undefined : ofName('either', word, rest);
}

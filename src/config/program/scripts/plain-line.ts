// Tells a command line that is one plain command from one that needs a shell. Pure.
import { shellWords } from '../../shell-words.ts';

export interface PlainLine {
  /** `NODE_ENV=production` before the command. */
  variables: Record<string, string>;
  words: [program: string, ...args: string[]];
}

/** A shell leaves these as they are: `$` and backquotes do something within double quotes, too. */
const quoted = /'[^']*'|"[^"$`\\!]*"/g;
/** Characters of which a shell makes something else than themselves. */
const special = /[|&;<>()$`\\"'*?[\]{}!#~\n]/;

const assignment = /^([A-Za-z_]\w*)=(.*)$/s;

/** Undefined if a shell would do anything but split the line into words and set variables before the command. */
export function parsePlainLine(line: string): PlainLine | undefined {
  if (special.test(line.replace(quoted, ''))) return undefined;
  const { variables, words } = withoutAssignments(shellWords(line));
  // `exec` is for the shell, which is not there.
  const [program, ...args] = words[0] === 'exec' ? words.slice(1) : words;
  return program === undefined ? undefined : { variables, words: [program, ...args] };
}

/** The words behind `NAME=value`, as the shell and cross-env read them. */
export function withoutAssignments(words: readonly string[]): { variables: Record<string, string>; words: string[] } {
  const variables: Record<string, string> = {};
  for (const [at, word] of words.entries()) {
    const [, name, value = ''] = assignment.exec(word) ?? [];
    if (name === undefined) return { variables, words: words.slice(at) };
    variables[name] = value;
  }
  return { variables, words: [] };
}

// The environment of a program, carried past the steps that run as root before it.
//
// The dynamic linker, the C library and shells obey variables such as LD_PRELOAD, GCONV_PATH or BASH_ENV, also in setpriv. So those steps
// get a fixed PATH, and the program's variables under names that mean nothing to them. A shell that already runs as the program's user
// restores the names. Values are never passed as arguments, which every user of the machine can read.
import { isOwnVariable } from '../os/own-variables.ts';
import { systemPath } from '../os/programs.ts';

type Variables = Record<string, string>;

/** What a step that runs as root gets. */
export const fixedEnvironment: Readonly<Variables> = { PATH: systemPath };

const prefix = 'NSV_OF_';
/** The name of the loop's own variable; no carried one has it. */
const current = 'NSV_OF';

/**
 * Returns the command to run as the user, and the environment in which the steps before it run. A shell cannot set variables whose names
 * are not identifiers, such as `a-b`, or some of its own (`unsettable`): the program does not get these. The variables of nsv keep their
 * names, because the next daemon may look for a process by them at any time.
 */
export function carrying(env: Variables, command: readonly string[]): { command: string[]; env: Variables } {
  const own = Object.entries(env).filter(([name]) => isOwnVariable(name));
  const carried = Object.entries(env).filter(([name]) => !isOwnVariable(name) && isCarried(name));
  const names = carried.map(([name]) => name);
  return {
    command: ['/bin/sh', '-c', scriptFor(names), 'sh', ...command],
    env: {
      ...fixedEnvironment,
      ...Object.fromEntries(own),
      ...Object.fromEntries(carried.map(([name, value]) => [`${prefix}${name}`, value])),
    },
  };
}

/**
 * Read-only in bash, or numbers: an assignment ends the shell.
 * https://www.gnu.org/software/bash/manual/html_node/Bash-Variables.html
 */
const unsettable = 'BASHOPTS BASH_VERSINFO EUID HISTCMD OPTIND PPID SHELLOPTS SRANDOM UID'.split(' ');

function isCarried(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !name.startsWith(current) && !unsettable.includes(name);
}

/** With `command`, a failed `export` does not end the shell. It starts by removing what shells set themselves. */
function scriptFor(names: readonly string[]): string {
  return [
    'unset PATH PWD OLDPWD SHLVL',
    `for ${current} in ${names.join(' ')}; do`,
    `eval "command export $${current}=\\"\\$${prefix}$${current}\\"; unset ${prefix}$${current}"`,
    'done 2>/dev/null',
    `unset ${current}`,
    'exec "$@"',
  ].join('\n');
}

// The environment of a program, carried past the steps that run as root before it.
//
// The dynamic linker, shells and libraries obey variables such as LD_PRELOAD, LD_AUDIT, BASH_ENV or GCONV_PATH, in setpriv, too. So
// these steps get a fixed PATH, and the variables of the program under names that mean nothing to them. A shell that runs as the
// user of the program gives them their own names back. Values never get into arguments, which everybody on the machine can read.
import { isOwnVariable } from '../os/own-variables.ts';

type Variables = Record<string, string>;

/** Of steps that run as root. */
export const fixedEnvironment: Readonly<Variables> = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };

const prefix = 'NSV_OF_';
/** The name of the loop's own variable; no carried one has it. */
const current = 'NSV_OF';

/**
 * `command`: to be run as the user, with `env` set by whoever runs as root. A shell can neither set variables with names that are
 * not identifiers, such as `a-b`, nor some of its own (`ofBash`): the program does not get these. The variables of
 * nsv itself are not carried, because the next daemon finds a process by them at any time.
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
 * What is read-only in bash, or a number: to assign to it, or text to it, ends the shell.
 * https://www.gnu.org/software/bash/manual/html_node/Bash-Variables.html
 */
const ofBash = 'BASHOPTS BASH_VERSINFO EUID HISTCMD OPTIND PPID SHELLOPTS SRANDOM UID'.split(' ');

function isCarried(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !name.startsWith(current) && !ofBash.includes(name);
}

/** `command` keeps a shell alive whose `export` fails. First go the variables that shells set by themselves. */
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

// The command line as the journal of the daemon keeps it: what was asked, without what may be secret.
import type { Input } from '../command.ts';

/** Options whose values say what is meant, and are no secret. */
const plain = ['name', 'namespace', 'only', 'instances', 'parallel', 'script', 'output', 'diff', 'cpu', 'heap'];
/** Commands whose words but the first are given to the app. */
const passingOn = ['send', 'trigger', 'attach', 'config set'];

/** `nsv start app.js --name=web --env=… -- …`. `name`: that of the command. */
export function commandText(name: string, { words, options, afterDashes }: Input): string {
  const own = words.slice(0, words.length - afterDashes);
  const shown = passingOn.includes(name) && own.length > 1 ? [...own.slice(0, 1), '…'] : own.map(firstWord);
  const flags = Object.entries(options).map(([option, value]) => flagText(option, value));
  return ['nsv', name, ...shown, ...flags, ...(afterDashes > 0 ? ['-- …'] : [])].join(' ');
}

/** A quoted command line has arguments, too. */
function firstWord(word: string): string {
  const [first = ''] = word.trim().split(/\s/, 1);
  return first === word ? word : `${first} …`;
}

/** Commander's `updateEnv: true` is `--update-env`, and its `wait: false` is `--no-wait`. */
function flagText(option: string, value: Input['options'][string]): string {
  const flag = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (typeof value === 'boolean') return value ? `--${flag}` : `--no-${flag}`;
  return `--${flag}=${plain.includes(option) ? [value].flat().join(',') : '…'}`;
}

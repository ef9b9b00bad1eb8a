// A pseudo-terminal for a program that wants one, by script(1).
import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import { finish } from './program.ts';

const script = (...words: string[]) => ['--quiet', '--return', '--command', words.map(quoted).join(' '), '/dev/null'];
const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/** Why there is none here, or none that may become that of another session; undefined where there is. */
export const whyNoTerminal =
  (await finish('script', script('setsid', '--ctty', '--wait', 'bash', '-c', 'exit 3'))).code === 3
    ? undefined
    : 'script, setsid or bash is missing, or the terminal may not change its session';

export class Terminal {
  readonly ended: Promise<number | null>;
  /** All that was shown. */
  screen = '';
  readonly #keyboard: Writable;

  constructor(command: string[]) {
    // Somebody looks at it, wherever the tests run.
    const env = { ...process.env, CI: '', TERM: 'xterm' };
    const child = spawn('script', script(...command), { env, stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    this.ended = new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
    this.#keyboard = child.stdin;
    child.stdout.setEncoding('utf8').on('data', (text) => (this.screen += text));
  }

  type(keys: string): void {
    this.#keyboard.write(keys);
  }

  /** Resolves when what is shown looks so. */
  async shows(pattern: RegExp): Promise<void> {
    await eventually(() => pattern.test(this.screen));
  }
}

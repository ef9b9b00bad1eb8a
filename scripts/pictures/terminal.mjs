// A terminal of a given size for one command, by script(1) from util-linux.
import { spawn, spawnSync } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';

/** Undefined where a terminal can be had. */
export const whyNoTerminal =
  spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0 ? undefined : 'script(1) of util-linux is missing';

export class Terminal {
  output = '';
  ended;
  #child;

  /** `command` is for the shell. */
  constructor(command, { columns = 100, rows = 40, ...options }) {
    const sized = `stty cols ${columns} rows ${rows}; ${command}`;
    this.#child = spawn('script', ['-qec', sized, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'], ...options });
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.output += text;
    });
    this.ended = new Promise((resolve) => this.#child.on('close', resolve));
  }

  type(keys) {
    this.#child.stdin.write(keys);
  }

  /** Resolves when the output looks so; rejects when the command has ended before. */
  async shows(isShown) {
    let over = false;
    this.ended.then(() => {
      over = true;
    });
    while (!isShown(this.output)) {
      if (over) throw new Error(`ended with this on the screen:\n${this.output}`);
      await turn();
    }
  }
}

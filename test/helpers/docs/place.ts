// Where the commands of a page are run: a folder with what the pages take for granted, and a home of its own.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installNsv } from '../app-library.ts';
import { freePort } from '../http.ts';
import { hello, root, TestHome } from '../nsv.ts';
import { finish } from '../program.ts';

/** Somebody else may have these ports of the pages: each page gets others in their place. */
const ports = ['3000', '8080', '9000'];

/** Their names in the pages; each is the example of the repository. */
const apps = ['app.js', 'server.js', 'api.js', 'web.js'];

/**
 * Commands that go on until somebody ends them: when they have printed something, they get Ctrl-C. They end with 0 or 130;
 * `nsv run` with that of its app, which is stopped by SIGTERM.
 */
const endless = /^nsv (run|monit|events|attach|daemon)\b|^nsv logs\b(?!.*(--nostream|rotate|reopen|--help))/;

/** Changes the machine, or needs what a test machine does not have: a block with such a command is to say that it is not run. */
const forbidden = /\b(sudo|systemctl|docker|kubectl|npm|pm2|journalctl)\b/;

/** Not on every machine. */
const tools = await Promise.all(
  ['curl', 'jq', 'less'].map(async (name) => ({
    name,
    isMissing: (await finish(name, ['--version'])).error !== undefined,
  })),
);

/** A program that the command needs and that this machine lacks. */
export function missingFor(command: string): string | undefined {
  return tools.find(({ name, isMissing }) => isMissing && new RegExp(`\\b${name}\\b`).test(command))?.name;
}

export class Place extends TestHome {
  #ports = new Map<string, string>();

  override begin(): void {
    super.begin();
    for (const name of ['bin/nsv', 'bench', 'examples']) this.#link(name);
    installNsv(this.directory);
    for (const name of apps) cpSync(hello, join(this.directory, name));
    this.script('worker.js', 'console.log("job 17 is done"); setInterval(() => {}, 1000);');
    this.script('server', '#!/bin/sh\nexec sleep 1000\n');
    mkdirSync(join(this.directory, 'dist'));
    writeFileSync(join(this.directory, 'dist', 'index.html'), 'hello\n');
  }

  #link(name: string): void {
    mkdirSync(dirname(join(this.directory, name)), { recursive: true });
    symlinkSync(join(root, name), join(this.directory, name));
  }

  /** A file that the page shows. */
  async write(name: string, text: string): Promise<void> {
    writeFileSync(join(this.directory, name), await this.#withOwnPorts(text));
  }

  /** Resolves with what was wrong, or with nothing. */
  async wrongWith(command: string): Promise<string | undefined> {
    if (forbidden.test(command)) return `${command}\ncannot be run here: say so in a comment, "not run: why"`;
    const { code, output } = await this.#type(await this.#withOwnPorts(command));
    const expected = endless.test(command) ? [0, 130, 143] : [0];
    return expected.includes(code ?? -1) ? undefined : `${command}\nended with ${code}:\n${output}`;
  }

  async #type(command: string): Promise<{ code: number | null; output: string }> {
    const isEndless = endless.test(command);
    const child = spawn('bash', ['-c', isEndless ? `exec ${command}` : command], {
      cwd: this.directory,
      env: { ...process.env, ...(await this.#environment()) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const hear = (text: string) => {
      if (isEndless && output === '') child.kill('SIGINT');
      output += text;
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear);
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code: signal === 'SIGINT' ? 130 : code, output }));
    });
  }

  async #environment(): Promise<Record<string, string>> {
    return {
      NSV_HOME: this.home,
      HOME: this.directory,
      PATH: [join(root, 'bin'), process.env.PATH].join(delimiter),
      PORT: await this.#withOwnPorts('3000'),
    };
  }

  async #withOwnPorts(text: string): Promise<string> {
    for (const port of ports) if (!this.#ports.has(port)) this.#ports.set(port, String(await freePort()));
    return text.replaceAll(new RegExp(`\\b(${ports.join('|')})\\b`, 'g'), (port) => this.#ports.get(port)!);
  }
}

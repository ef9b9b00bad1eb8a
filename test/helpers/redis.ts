// A Redis of a test's own, in a directory of its own, that can be ended and come back with what it had.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';
import { works } from './program.ts';

export const hasRedis = await works('redis-server', '--version');

export class RedisServer {
  readonly port: number;
  readonly url: string;
  readonly #directory = mkdtempSync(join(tmpdir(), 'nsv-redis-'));
  readonly #options: string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, options: string[]) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#options = options;
  }

  /** `options`: as on its command line, a file of its own first. */
  static async start(...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const address = ['--bind', '127.0.0.1', '--port', String(this.port)];
    // What it has acknowledged is on the disk.
    const files = ['--dir', this.#directory, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
    this.#child = spawn('redis-server', [...this.#options, ...address, ...files], { stdio: 'ignore' });
    await eventually(() => answers(this.port), `Redis answers on port ${this.port}`);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** It is there, and answers nobody. */
  freeze(isFrozen: boolean): void {
    this.#child?.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT');
  }

  async remove(): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.#directory, { recursive: true });
  }
}

/** Whether it answers a PING: if only that it wants a password first. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.on('data', (data) => end(/^(\+PONG|-NOAUTH)/.test(String(data))));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
    function end(isThere: boolean): void {
      socket.destroy();
      resolve(isThere);
    }
  });
}

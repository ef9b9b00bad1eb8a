// A daemon below its guard, as a command would launch it, that can be told when to fall (test/fixtures/daemon/falls.cjs).
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { daemonFlags } from '../../src/client/daemon-process.ts';
import { eventually } from './eventually.ts';
import { root, type TestHome } from './nsv.ts';

export interface Moment {
  /** The call during which it is to fall, and a part of what is passed to it. */
  call: 'read' | 'open' | 'fsync' | 'rename' | 'remove' | 'spawn' | 'listen';
  word: string;
  /** Once the call has been made. */
  after?: boolean;
}

export interface Order extends Moment {
  how: 'kill' | 'throw' | 'reject' | 'exhaust';
  /** Also the daemons after the first that falls, until `revoke`. */
  always?: boolean;
}

export class FallingDaemon {
  readonly #nsv: TestHome;

  constructor(nsv: TestHome) {
    this.#nsv = nsv;
  }

  get #order(): string {
    return join(this.#nsv.directory, 'order');
  }

  get #renames(): string {
    return join(this.#nsv.directory, 'renames');
  }

  /** Resolves when it serves; `flags` are Node's. */
  async launch(...flags: string[]): Promise<void> {
    const preload = join(root, 'test', 'fixtures', 'daemon', 'falls.cjs');
    const node = [process.execPath, ...daemonFlags, ...flags, '--require', preload];
    const env = {
      PATH: process.env.PATH,
      NSV_HOME: this.#nsv.home,
      NSV_TEST_ORDER: this.#order,
      NSV_TEST_RENAMES: this.#renames,
    };
    const words = [join(root, 'bin', 'guard.sh'), ...node, join(root, 'dist', 'daemon', 'main.js')];
    spawn('/bin/sh', words, { env, cwd: '/', detached: true, stdio: 'ignore' }).unref();
    await eventually(() => this.#nsv.answers());
  }

  /** Whatever is under way; the order is carried out by this daemon or the next one. */
  command(order: Order): void {
    writeFileSync(this.#order, JSON.stringify(order));
  }

  revoke(): void {
    rmSync(this.#order, { force: true });
  }

  get hasFallen(): boolean {
    return !existsSync(this.#order);
  }

  /** How often a file of the home was written as a whole. */
  writesOf(name: string): number {
    if (!existsSync(this.#renames)) return 0;
    return readFileSync(this.#renames, 'utf8')
      .split('\n')
      .filter((file) => file === join(this.#nsv.home, name)).length;
  }
}

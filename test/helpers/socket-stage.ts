// Groups of real processes with the real preload, and the test in the place of the daemon.
// NSV_TEST_NODE names another Node binary for the processes.
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type AppSettings, parseAppSpec } from '../../src/config/app-spec.ts';
import type { Child, Launcher } from '../../src/daemon/launch/launcher.ts';
import { createSpawner } from '../../src/daemon/launch/spawn.ts';
import { AddressBook } from '../../src/daemon/sockets/address-book.ts';
import { createGroupSockets } from '../../src/daemon/sockets/create-group-sockets.ts';
import type { GroupSockets, SocketsApp } from '../../src/daemon/sockets/group-sockets.ts';
import type { Exit } from '../../src/ipc/views.ts';
import { marker, type UpMessage } from '../../src/ipc/worker-messages.ts';
import { eventually } from './eventually.ts';
import { fixture } from './launched.ts';

export const workerNode = process.env.NSV_TEST_NODE ?? process.execPath;

export interface App {
  child: Child;
  pid: number;
  /** Resolves with the first match in what it printed, on either stream. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  output(): string;
  /** It has told the daemon that it listens. */
  listens: Promise<void>;
  ended: Promise<Exit>;
  /** What its preload has told the daemon. */
  received: UpMessage[];
  nextMessage(type: UpMessage['type']): Promise<UpMessage>;
  send(message: Record<string, unknown>): void;
  signal(name: NodeJS.Signals): void;
}

/** For one test file: the bundles, and the processes to be ended after each test. */
export function socketStage(): SocketStage {
  const stage = new SocketStage();
  beforeAll(() => stage.build());
  afterEach(() => stage.end());
  afterAll(() => stage.remove());
  return stage;
}

class SocketStage {
  directory = '';
  readonly #groups: Group[] = [];
  #book = new AddressBook();
  #count = 0;

  async build(): Promise<void> {
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), 'nsv-sockets-')));
    const source = (path: string) => join(import.meta.dirname, '..', '..', 'src', path);
    await build({
      entryPoints: [source('worker/preload.ts'), source('activator/main.ts')],
      entryNames: '[name]',
      outdir: this.directory,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'cjs',
      define: { 'import.meta.dirname': '__dirname' },
    });
  }

  /** All groups of a test share one address book, as in a daemon. */
  group(settings: AppSettings = {}): Group {
    this.#count += 1;
    const spec = { name: `app${this.#count}`, cwd: this.directory, node: true, ...settings };
    const group = new Group(spec, this.directory, this.#book);
    this.#groups.push(group);
    return group;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  async end(): Promise<void> {
    await Promise.all(this.#groups.splice(0).map((group) => group.end()));
    this.#book = new AddressBook();
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}

export class Group {
  readonly sockets: GroupSockets;
  readonly #settings: AppSettings & { name: string };
  readonly #directory: string;
  readonly #launcher: Launcher;
  readonly #apps: App[] = [];

  constructor(settings: AppSettings & { name: string }, directory: string, book: AddressBook) {
    this.#settings = settings;
    this.#directory = directory;
    this.#launcher = createSpawner({ preload: () => join(directory, 'preload.js') });
    const { schedule = 'kernel', node = true, name } = settings;
    const activator = join(directory, 'main.js');
    const app: SocketsApp = { spec: { listen: [] }, stageOf: () => 'starting', look: () => this.#closeUnused() };
    this.sockets = createGroupSockets({ group: name, schedule, node, book, activator, app });
  }

  #closeUnused(): void {
    for (const { isKept, isOf, close } of this.sockets.closable)
      if (!isKept && !this.#apps.some(({ child }) => isOf(child))) close();
  }

  /** Starts a fixture in a slot; `args` are passed on as JSON. */
  start(script: string, args: unknown[] = [], { slot = 0, ...settings }: AppSettings & { slot?: number } = {}): App {
    const base = join(this.#directory, `${this.#settings.name}-${this.#apps.length}`);
    const files = { outFile: `${base}-out.log`, errorFile: `${base}-err.log` };
    const env = { PATH: process.env.PATH ?? '', HOME: this.#directory, ...this.#settings.env, ...settings.env };
    const words = args.map((arg) => JSON.stringify(arg));
    const spec = parseAppSpec({
      script: fixture(script),
      interpreter: workerNode,
      args: words,
      ...this.#settings,
      ...settings,
      env,
    });
    const sockets = spec.node ? [] : this.sockets.inherited();
    let sawListening = () => {};
    const listens = new Promise<void>((resolve) => {
      sawListening = resolve;
    });
    const received: UpMessage[] = [];
    let reaped: (exit: Exit) => void = () => {};
    const ended = new Promise<Exit>((resolve) => {
      reaped = resolve;
    });
    const child: Child = this.#launcher.launch(
      { spec, id: slot, slot, sockets, ...files },
      {
        exited: (exit) => {
          this.sockets.released(child);
          reaped(exit);
        },
        message: (message, internal, handle) => {
          if (!internal) return;
          received.push(message as UpMessage);
          this.sockets.receive(child, message as UpMessage, handle);
          if ((message as UpMessage).type === 'serving') sawListening();
        },
        cutOff: () => {},
      },
    );
    const output = () => readFileSync(files.outFile, 'utf8') + readFileSync(files.errorFile, 'utf8');
    const prints = (pattern: RegExp) => eventually(() => pattern.exec(output()));
    const signal = (name: NodeJS.Signals) => process.kill(child.pid, name);
    const nextMessage = (type: string) => eventually(() => received.find((message) => message.type === type));
    const send = (message: object) => void child.send({ cmd: marker, ...message });
    const app = { child, pid: child.pid, output, prints, listens, ended, received, nextMessage, send, signal };
    this.#apps.push(app);
    return app;
  }

  /** The same fixture in `count` slots, all listening. */
  async startAll(count: number, script: string, args: unknown[] = []): Promise<App[]> {
    const apps = Array.from({ length: count }, (_, slot) => this.start(script, args, { slot }));
    await Promise.all(apps.map(({ listens }) => listens));
    return apps;
  }

  async end(): Promise<void> {
    const running = this.#apps.filter(({ pid }) => isAlive(pid));
    for (const { signal } of running) signal('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    this.sockets.close();
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

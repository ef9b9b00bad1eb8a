// Keeps the `--listen` sockets of all apps that are not Node's for the next daemon. Node apps hand their sockets back
// themselves; other programs cannot, and no descriptor can be taken out of a process.
//
// The keeper is an `sh`, which has 0.1 MB of its own (dash: 108 KB). It inherits one end of Node's IPC channel. The sockets
// have been sent over it, and nobody reads them: so they are open, and nothing has to be opened anew or made non-blocking,
// which the program would notice. The shell waits for the end of its standard input, that is for the death of the daemon.
// Then it becomes Node (src/keeper), which reads the channel and passes the sockets on to the next daemon, whose own keeper
// replaces it. As a shell cannot let go of single sockets, another one replaces it whenever they change.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { Channel } from '../../channels/channel.ts';
import { keeperVariable, marker, type Released, type UpMessage } from '../../ipc/worker-messages.ts';
import { type Identity, isSameProcess, startTimeOf } from '../../os/proc.ts';
import { sleepSync } from '../../os/sleep-sync.ts';
import { BindError } from '../../os/sockets/handle.ts';
import type { Handle } from '../../os/sockets/node-handles.ts';
import { sendSignal } from '../../os/terminate.ts';
import type { Clock } from '../../shared/clock.ts';
import { installed } from '../../shared/paths.ts';
import { deferred } from '../../shared/promises.ts';
import type { HeldHandle } from './held-socket.ts';

/** What the next daemon needs to end a keeper. */
export interface KeeperRecord extends Identity {
  readonly startTime: number;
}

interface KeptSocket {
  app: string;
  key: string;
  handle: Handle;
}

interface App {
  readonly name: string;
  readonly spec: { readonly node: boolean };
  readonly all: readonly { readonly child: Identity | undefined }[];
  readonly sockets: { held(): HeldHandle[]; takeOver(held: HeldHandle): void };
  changed(): void;
}

export interface KeeperOptions {
  /** The nsv home, and the socket on which the next daemon expects what the previous one has left. */
  home: string;
  workers: string;
  clock: Clock;
  apps(): readonly App[];
  /** Called after each change of `record`. */
  changed(): void;
}

/** The keeper of the previous daemon. */
interface Former {
  readonly record: KeeperRecord;
  /** Resolves when it has returned its sockets, or never will. */
  readonly returned: Promise<void>;
  settle(): void;
}

/**
 * Its arguments are a command, to which the last line that it has read is appended. Node is not to read the channel as its
 * own.
 */
const script =
  'unset NODE_CHANNEL_FD; nsv_alive=; while read -r nsv_line; do nsv_alive=$nsv_line; done; exec "$@" "$nsv_alive"';
/** Milliseconds until another attempt, if a keeper cannot be started or has been killed. */
const retryAfter = 1_000;
/** Milliseconds for a killed keeper to be gone. */
const killWait = 500;
/** Milliseconds for a former keeper to return. It has to start a Node first. */
const returnTimeout = 10_000;
/** The same if the recorded one is gone: it may have a successor that the previous daemon had no time to record. */
const returnTimeoutWithoutIt = 2_000;

export class Keeper {
  readonly #options: KeeperOptions;
  #held: readonly KeptSocket[] = [];
  #child: ChildProcess | undefined;
  #record: KeeperRecord | undefined;
  #former: Former | undefined;
  #reported = '';
  #isReportDue = false;
  #cancelRetry = () => {};

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** For the next daemon. */
  get record(): KeeperRecord | undefined {
    return this.#record ?? this.#former?.record;
  }

  /**
   * Keeps the sockets that the apps hold now: when this returns, nobody keeps those that they have closed. Returns false if
   * no keeper can be started; it is tried again.
   */
  look(): boolean {
    this.#hold(this.#apps.flatMap(socketsOf));
    this.#report();
    return this.#held.length === 0 || this.#child !== undefined;
  }

  /** Tells the keeper which processes there are when this turn of the event loop is over. Call it after each change. */
  changed(): void {
    if (this.#held.length === 0 || this.#isReportDue) return;
    this.#isReportDue = true;
    setImmediate(() => {
      this.#isReportDue = false;
      this.#report();
    });
  }

  /** Waits for the keeper of a daemon that has died. */
  expect(record: KeeperRecord): void {
    const { promise: returned, resolve } = deferred();
    const cancel = this.#options.clock.after(isSameProcess(record) ? returnTimeout : returnTimeoutWithoutIt, () => {
      end(record);
      this.#former = undefined;
      settle();
    });
    const settle = () => {
      cancel();
      // Apps that were stopped meanwhile close what has come back; the others look whether they have all their sockets.
      for (const app of this.#apps) app.changed();
      resolve();
    };
    this.#former = { record, returned, settle };
  }

  /** Keeps the sockets that the previous daemon has handed over. Then its keeper ends, if it had one. */
  replace(record: KeeperRecord | undefined): void {
    if (this.look() && record) end(record);
  }

  /** Resolves when no keeper is expected to return, or with `abort`. */
  async returned(abort?: AbortSignal): Promise<void> {
    if (!this.#former) return;
    const aborted = new Promise<void>((resolve) => abort?.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.#former.returned, aborted]);
  }

  /** For a connection that says it comes from a keeper. */
  attach(channel: Channel): void {
    channel.listener = {
      message: (message, internal, handle) =>
        this.#onMessage(channel, internal ? (message as UpMessage) : undefined, handle),
      cutOff: () => {},
    };
    if (!this.#former) release(channel);
  }

  get #apps(): readonly App[] {
    return this.#options.apps().filter(({ spec }) => !spec.node);
  }

  #onMessage(channel: Channel, message: UpMessage | undefined, handle: Handle | undefined): void {
    if (message?.type === 'return-socket' && handle && this.#former) {
      this.#restore({ app: String(message.origin), key: message.key, handle });
    } else handle?.close();
    if (message?.type !== 'sockets-returned') return;
    this.#former?.settle();
    if (!this.look()) {
      channel.close();
      return;
    }
    this.#former = undefined;
    release(channel);
  }

  #restore({ app, key, handle }: KeptSocket): void {
    const owner = this.#apps.find(({ name }) => name === app);
    try {
      if (owner) owner.sockets.takeOver({ key, fixed: true, handle });
      else handle.close();
    } catch (error) {
      if (!(error instanceof BindError)) throw error;
      handle.close();
    }
  }

  #hold(sockets: readonly KeptSocket[]): void {
    if (sockets.length === this.#held.length && sockets.every((one, at) => isEqual(one, this.#held[at]))) return;
    const before = this.#record;
    this.#cancelRetry();
    this.#child = undefined;
    this.#record = undefined;
    this.#held = sockets;
    if (sockets.length > 0) this.#start();
    if (before) end(before);
    this.#options.changed();
  }

  /**
   * The processes of each app with such sockets. If the daemon is dead and they are too, the keeper lets go of its sockets after a while:
   * clients are refused rather than left hanging.
   */
  #report(): void {
    if (this.#held.length === 0) return;
    const names = new Set(this.#held.map(({ app }) => app));
    const processes = this.#apps
      .filter(({ name }) => names.has(name))
      .map(({ name, all }) => [
        name,
        all.flatMap(({ child }) => (child ? { pid: child.pid, startTime: child.startTime } : [])),
      ]);
    const line = JSON.stringify(Object.fromEntries(processes));
    if (line === this.#reported) return;
    this.#reported = line;
    this.#child?.stdin?.write(`${line}\n`);
  }

  #start(): void {
    const { home, workers } = this.#options;
    const child = spawn('/bin/sh', ['-c', script, 'sh', process.execPath, installed.keeper, workers], {
      cwd: '/',
      detached: true,
      env: { NSV_HOME: home, [keeperVariable]: '1' },
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    });
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
    if (child.pid === undefined) {
      this.#startLater();
      return;
    }
    this.#child = child;
    this.#record = { pid: child.pid, startTime: startTimeOf(child.pid) ?? 0 };
    child.once('exit', () => this.#exited(child));
    for (const { app, key, handle } of this.#held) sendUnread(child, { app, key }, handle);
    // What was sent stays in the channel until the other end is closed.
    child.disconnect();
    if (this.#reported) child.stdin?.write(`${this.#reported}\n`);
  }

  /** Its record stays until there is another one: by it, the next daemon knows that there may be a keeper. */
  #exited(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#startLater();
  }

  #startLater(): void {
    this.#cancelRetry();
    this.#cancelRetry = this.#options.clock.after(retryAfter, () => {
      this.#start();
      this.#options.changed();
    });
  }
}

/** Tells a keeper that it is not needed any more. */
function release(channel: Channel): void {
  channel.send({ cmd: marker, type: 'released' } satisfies Released);
}

/** Not those of systemd, which keeps them itself. */
function socketsOf({ name, sockets }: App): KeptSocket[] {
  const fixed = sockets.held().filter((one) => one.fixed);
  return fixed.map(({ key, handle }) => ({ app: name, key, handle }));
}

function isEqual(one: KeptSocket, other: KeptSocket | undefined): boolean {
  return one.app === other?.app && one.key === other.key && one.handle === other.handle;
}

/** Kills a keeper, and blocks until it is gone. */
function end(keeper: KeeperRecord): void {
  sendSignal(keeper, 'SIGKILL');
  for (let waited = 0; waited < killWait && isThere(keeper); waited += 1) sleepSync(1);
}

/** Descriptors belong to all threads of a process, and the first one may be a zombie before the last one has ended. */
function isThere(keeper: KeeperRecord): boolean {
  if (isSameProcess(keeper)) return true;
  try {
    return readdirSync(`/proc/${keeper.pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** Sends a handle to a process that does not read. Node holds the next one back until it has a receipt. */
function sendUnread(child: ChildProcess, message: object, handle: Handle): void {
  child.send(message, handle as unknown as Parameters<ChildProcess['send']>[1], () => {});
  child.emit('internalMessage', { cmd: 'NODE_HANDLE_ACK' });
}

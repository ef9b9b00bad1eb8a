// Keeps the `--listen` sockets of one app for the next daemon. Node apps hand their sockets back themselves; other programs
// cannot, and no descriptor can be taken out of a process.
//
// The keeper is an `sh`, which has 0.1 MB of its own (dash: 108 KB). It inherits one end of Node's IPC channel. The sockets
// have been sent over it, and nobody reads them: so they are open, and nothing has to be opened anew or made non-blocking,
// which the program would notice. The shell waits for the end of its standard input, that is for the death of the daemon.
// Then it becomes Node (return.ts), which reads the channel and passes the sockets on to the next daemon, whose own keeper
// replaces it.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { keeperVariable } from '../../../ipc/worker-messages.ts';
import type { Handle } from '../../../os/handle.ts';
import { isSameProcess, startTimeOf } from '../../../os/proc.ts';
import { sleepSync } from '../../../os/sleep-sync.ts';
import { sendSignal } from '../../../os/terminate.ts';
import type { Identity } from '../../../os/tree.ts';
import type { Clock } from '../../../shared/clock.ts';
import { randomBytes } from '../../../shared/random.ts';

/** What the next daemon needs to recognise a keeper. */
export interface KeeperRecord extends Identity {
  readonly startTime: number;
  /** What only it and the daemons know. It stays the same for all keepers of an app that follow one another. */
  readonly token: string;
}

export interface KeptSocket {
  key: string;
  handle: Handle;
}

export interface KeeperOptions {
  /** The nsv home, and the socket on which the next daemon expects what the previous one has left. */
  home: string;
  workers: string;
  /** The bundle of `return.ts`. */
  program: string;
  clock: Clock;
  /** Called after each change of `record`. */
  changed(): void;
  /** Resolves when all changes so far are recorded for the next daemon. */
  settled(): Promise<void>;
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
const mercy = 500;

export class Keeper {
  readonly #options: KeeperOptions;
  #token: string | undefined;
  #held: readonly KeptSocket[] = [];
  #child: ChildProcess | undefined;
  #record: KeeperRecord | undefined;
  #told = '';
  #cancelRetry = () => {};

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Continues after the keeper of the previous daemon. */
  follow({ token }: KeeperRecord): void {
    this.#token = token;
  }

  get record(): KeeperRecord | undefined {
    return this.#record;
  }

  /** Keeps these sockets instead of those before. Returns false if no keeper can be started now; it is tried again. */
  hold(sockets: readonly KeptSocket[]): boolean {
    const isSame = sockets.length === this.#held.length && sockets.every((one, at) => isEqual(one, this.#held[at]));
    if (isSame && this.#child) return true;
    const before = this.#record;
    this.#forget();
    this.#held = sockets;
    if (sockets.length > 0) this.#start();
    if (before) endKeeper(before);
    this.#options.changed();
    return sockets.length === 0 || this.#child !== undefined;
  }

  /**
   * The processes of the app that run. If the daemon is dead and they are too, the keeper lets go of the sockets after a
   * while: clients are refused rather than left hanging.
   */
  tell(processes: readonly Identity[]): void {
    const line = processes.map(({ pid, startTime }) => `${pid}:${startTime}`).join(' ');
    if (line === this.#told) return;
    this.#told = line;
    this.#child?.stdin?.write(`${line}\n`);
  }

  /** Lets go of the sockets. When this returns, nobody keeps them: the next client is refused. */
  end(): void {
    const record = this.#record;
    this.#forget();
    this.#held = [];
    if (!record) return;
    endKeeper(record);
    this.#options.changed();
  }

  #start(): void {
    const { home, workers, program } = this.#options;
    const token = this.#token ?? randomBytes(16).toString('hex');
    this.#token = token;
    // Every user can read the arguments of a process, but not its environment.
    const child = spawn('/bin/sh', ['-c', script, 'sh', process.execPath, program, workers], {
      cwd: '/',
      detached: true,
      env: { NSV_HOME: home, [keeperVariable]: token },
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    });
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
    if (child.pid === undefined) {
      this.#startLater();
      return;
    }
    this.#child = child;
    this.#record = { pid: child.pid, startTime: startTimeOf(child.pid) ?? 0, token };
    child.once('exit', () => this.#exited(child));
    for (const { key, handle } of this.#held) sendUnheard(child, { key }, handle);
    // What was sent stays in the channel until the other end is closed.
    child.disconnect();
    if (this.#told) child.stdin?.write(`${this.#told}\n`);
  }

  /** Its record stays until there is another one, for the token: the next daemon may find only that on the disk. */
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

  #forget(): void {
    this.#cancelRetry();
    this.#child = undefined;
    this.#record = undefined;
  }
}

/** Kills a keeper, and blocks until it is gone. */
export function endKeeper(keeper: Identity): void {
  sendSignal(keeper, 'SIGKILL');
  for (let waited = 0; waited < mercy && isThere(keeper); waited += 1) sleepSync(1);
}

/** Descriptors belong to all threads of a process, and the first one may be a zombie before the last one has ended. */
function isThere(keeper: Identity): boolean {
  if (isSameProcess(keeper)) return true;
  try {
    return readdirSync(`/proc/${keeper.pid}/task`).length > 1;
  } catch {
    return false;
  }
}

function isEqual(one: KeptSocket, other: KeptSocket | undefined): boolean {
  return one.key === other?.key && one.handle === other.handle;
}

/** Sends a handle to a process that does not read. Node holds the next one back until it has a receipt. */
function sendUnheard(child: ChildProcess, message: object, handle: Handle): void {
  child.send(message, handle as unknown as Parameters<ChildProcess['send']>[1], () => {});
  child.emit('internalMessage', { cmd: 'NODE_HANDLE_ACK' });
}

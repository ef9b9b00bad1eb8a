// The brokers of a daemon that runs as root: what a process of another user writes to its channel is read by a process
// of its own, one per user, because Node aborts when it receives a descriptor of a regular file. A broker may die: its
// processes connect to the next one.
//
// The apps of the daemon's own user have none, until such a descriptor has aborted a daemon: the next one is wary, and
// has their channels read by a broker too. Otherwise an app that repeats it would end one daemon after another.
import type { ChildProcess } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Channel, ChannelListener } from '../../channels/channel.ts';
import type { AppSpec } from '../../config/app-spec.ts';
import { findUser } from '../../os/users.ts';
import type { Clock } from '../../shared/clock.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Logger } from '../logger.ts';
import { BrokerProcess } from './broker-process.ts';
import { HelperLink } from './line.ts';

export type Brokers = ReturnType<typeof createBrokers>;

export interface Launched {
  child: ChildProcess;
  /** Absent if the process cannot connect again. */
  mark: string | undefined;
}

export interface BrokersOptions {
  home: string;
  clock: Clock;
  logger: Logger;
  /** Where processes of the daemon's own user connect again. If absent, no process can. */
  workers: string | undefined;
  /** Whether apps of the daemon's own user have a broker too. */
  isWary: boolean;
  /** The settings of all processes that run. */
  running(): AppSpec[];
  /** Renders a mark for a broker. Undefined if no daemon follows this one. */
  mark: (() => string) | undefined;
}

/** Absent on macOS, where processes of other users cannot connect again. */
const run = '/run';
/** Others may go through the directory of sockets to one that they can name. */
const directoryMode = 0o711;

type Adopt = (uid: number, mark: string, pid: number, channel: Channel) => boolean;

/** Milliseconds until a broker that has nothing to do ends: an app that is restarted is soon back. */
const idleTime = 10_000;
/** Milliseconds before a broker that has died again is replaced, doubled each time. */
const firstPause = 100;
const longestPause = 10_000;
/** Milliseconds after which a death does not count as one after another. */
const window = 60_000;

export function createBrokers(options: BrokersOptions) {
  const { home, workers, isWary } = options;
  const directory = workers === undefined ? undefined : brokerDirectory(home);
  const brokers = new Map<number, BrokerOfUser>();
  const own = process.getuid?.();
  const uids = new Map<string, number | undefined>();
  let adopt: Adopt = () => false;

  /** The user whose broker reads the channels of the app; undefined if the daemon reads them. */
  function userOf({ uid, node }: Pick<AppSpec, 'uid' | 'node'>): number | undefined {
    if (!node) return undefined;
    // Only root can start a program as another user.
    const user = uid === undefined || own !== 0 ? own : numberOf(uid);
    return user === own && !isWary ? undefined : user;
  }

  /** Accounts are looked up once, because this is asked at each start. */
  function numberOf(uid: string): number | undefined {
    if (!uids.has(uid)) uids.set(uid, findUser(uid)?.uid);
    return uids.get(uid);
  }

  /** Where processes of the user connect again; undefined if they cannot. */
  function addressFor(uid: number): string | undefined {
    return uid === own ? workers : directory?.addressFor(uid);
  }

  function brokerOf(uid: number): BrokerOfUser {
    const broker =
      brokers.get(uid) ??
      new BrokerOfUser(uid, {
        ...options,
        address: addressFor(uid),
        adopt: (...returned) => adopt(uid, ...returned),
        isNeeded: () => options.running().some((spec) => userOf(spec) === uid),
      });
    brokers.set(uid, broker);
    return broker;
  }

  return {
    userOf,
    addressFor,
    /** Has the broker of the user read the other end of `socket`, the channel of a process that was just started. */
    take: (uid: number, socket: Socket, launched: Launched, listener: ChannelListener) =>
      brokerOf(uid).take(socket, launched, listener),
    /** `next` attaches a process that this daemon has not started. It returns false if it does not know the process. */
    adoptWith(next: Adopt) {
      adopt = next;
    },
    /** Starts the broker of a user, for processes that a previous daemon has started. */
    expect: (uid: number) => void brokerOf(uid).start(),
    /** Ends all brokers, as no app is left. Resolves when they are gone. */
    async close() {
      directory?.remove();
      await Promise.all([...brokers.values()].map((broker) => broker.end()));
    },
  };
}

interface BrokerOfUserOptions extends Pick<BrokersOptions, 'home' | 'clock' | 'logger' | 'mark'> {
  address: string | undefined;
  adopt(mark: string, pid: number, channel: Channel): boolean;
  /** Whether a process of the user runs. */
  isNeeded(): boolean;
}

class BrokerOfUser {
  readonly #uid: number;
  readonly #options: BrokerOfUserOptions;
  /** Processes that this daemon has started, by mark. */
  readonly #launched = new Map<string, { pid: number | undefined; line: HelperLink }>();
  #process: BrokerProcess | undefined;
  #pause = 0;
  #diedAt = Number.NEGATIVE_INFINITY;
  #cancelIdle = () => {};

  constructor(uid: number, options: BrokerOfUserOptions) {
    this.#uid = uid;
    this.#options = options;
  }

  take(socket: Socket, { child, mark }: Launched, listener: ChannelListener): HelperLink {
    const line = new HelperLink(listener, false);
    line.attach(this.start().take(socket, listener));
    if (mark === undefined) return line;
    this.#launched.set(mark, { pid: child.pid, line });
    child.once('exit', () => this.#launched.delete(mark));
    return line;
  }

  start(): BrokerProcess {
    const { address, home, mark } = this.#options;
    this.#process ??= new BrokerProcess(
      { address, uid: this.#uid, home, mark: mark?.() },
      {
        returned: (mark, pid, channel) => this.#returned(mark, pid, channel),
        closed: () => this.#checkIdle(),
        exited: (how) => this.#exited(how),
      },
    );
    this.#checkIdle();
    return this.#process;
  }

  /** Resolves when it is gone. */
  async end(): Promise<void> {
    const ending = this.#process;
    this.#cancelIdle();
    this.#process = undefined;
    await ending?.end();
  }

  #returned(mark: string, pid: number, channel: Channel): boolean {
    const launched = this.#launched.get(mark);
    if (launched) return launched.pid === pid && launched.line.attach(channel);
    return this.#options.adopt(mark, pid, channel);
  }

  #checkIdle(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#options.clock.after(idleTime, () => {
      if (this.#process?.channels || this.#options.isNeeded()) return;
      this.end().catch(throwUncaught);
    });
  }

  #exited(how: string): void {
    // It was told to.
    if (!this.#process) return;
    const { clock, logger, isNeeded } = this.#options;
    this.#process = undefined;
    this.#cancelIdle();
    const now = clock.now();
    if (now - this.#diedAt > window) this.#pause = 0;
    this.#diedAt = now;
    logger.error(
      { uid: this.#uid, detail: how },
      'the broker of a user has died; its processes connect to another one',
    );
    clock.after(this.#pause, () => {
      if (isNeeded()) this.start();
    });
    this.#pause = Math.min(Math.max(firstPause, this.#pause * 2), longestPause);
  }
}

/**
 * The directory of the sockets on which processes of other users connect again: they cannot enter the home. Only root can
 * write it and everything above it, so nobody can put another socket there.
 */
function brokerDirectory(home: string) {
  // The same name for each daemon of the home: a process knows only that of the one that started it.
  const { dev, ino } = statSync(home);
  const path = isOnlyRoots(run) ? join(run, `nsv-${dev.toString(36)}-${ino.toString(36)}`) : undefined;
  return {
    /** Creates the directory if necessary; undefined where there can be none. */
    addressFor(uid: number): string | undefined {
      if (!path) return undefined;
      try {
        mkdirSync(path);
        // Whatever the umask is.
        chmodSync(path, directoryMode);
      } catch {
        // It is there, or cannot be made.
      }
      return isOnlyRoots(path) ? join(path, `${uid}.sock`) : undefined;
    },
    remove() {
      if (path && isOnlyRoots(path)) rmSync(path, { recursive: true, force: true });
    },
  };
}

function isOnlyRoots(path: string): boolean {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() && stats.uid === 0 && (stats.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

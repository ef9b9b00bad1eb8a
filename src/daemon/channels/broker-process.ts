// The daemon's end of one broker.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Channel, ChannelListener, Send } from '../../channels/channel.ts';
import { ChannelReader, inattention } from '../../channels/channel-reader.ts';
import { type FromBroker, parseFromBroker, type ToBroker } from '../../ipc/broker-messages.ts';
import { workerLimits } from '../../ipc/limits.ts';
import { markVariable } from '../../os/own-variables.ts';
import { type Handle, takeHandle } from '../../os/sockets/node-handles.ts';
import { installed } from '../../shared/paths.ts';

export interface BrokerEvents {
  /** A process has connected and says who it is; if this returns false, its channel is closed. */
  returned(mark: string, pid: number, channel: Channel): boolean;
  /** A channel is closed, so the broker may have nothing left to do. */
  closed(): void;
  /** The broker has exited. Called once, after all its channels are closed. */
  exited(how: string): void;
}

interface BrokerOptions {
  /** Where processes connect again; if absent, they cannot. */
  address: string | undefined;
  uid: number;
  home: string;
  /** By which the next daemon finds it. */
  mark: string | undefined;
}

/** A small heap: its messages are short-lived. */
const flags = ['--max-semi-space-size=1', '--max-old-space-size=128', '--no-opt'];
/** Bytes around a message of a process. */
const envelope = 1_000;

export class BrokerProcess {
  readonly #child: ChildProcess;
  readonly #channels = new Map<number, BrokeredChannel>();
  readonly #events: BrokerEvents;
  #lastWorker = 0;

  constructor({ address = '', uid, home, mark }: BrokerOptions, events: BrokerEvents) {
    this.#events = events;
    this.#child = spawn(process.execPath, [...flags, installed.broker, address, String(uid)], {
      cwd: '/',
      // The home is read by nobody. It tells whose broker this is.
      env: { NSV_HOME: home, ...(mark !== undefined && { [markVariable]: mark }) },
      detached: true,
      // Its input ends with the daemon.
      stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.stdin?.on('error', () => {});
    this.#child.on('error', (error) => {
      if (this.#child.pid === undefined) this.#exited(error.message);
    });
    this.#child.on('exit', (code, signal) => this.#exited(signal ?? `exit code ${code}`));
    if (!this.#child.connected) return;
    new ChannelReader<{ message: FromBroker; handle?: Handle | undefined }>(this.#child, {
      parse: (message, handle) => ({ message: parsed(message, handle), handle }),
      message: ({ message, handle }) => this.#onMessage(message, handle),
      cutOff: () => this.kill(),
      // Of its processes, one that sends and does not read loses its own channel only: see `heard`.
      isOwn: true,
      longest: workerLimits.message + envelope,
    });
  }

  get channels(): number {
    return this.#channels.size;
  }

  /** Passes on the daemon's end of the channel of a process that has just been started. */
  take(socket: Socket, listener: ChannelListener): Channel {
    const handle = takeHandle(socket);
    this.#lastWorker += 1;
    const channel = this.#add(this.#lastWorker, listener);
    this.send({ type: 'take', worker: this.#lastWorker }, handle, () => handle.close());
    return channel;
  }

  send(message: ToBroker, handle?: Handle, done: (error: Error | null) => void = () => {}): void {
    if (this.#child.connected) this.#child.send(message, handle as Parameters<ChildProcess['send']>[1], done);
    else done(new Error('the broker is gone'));
  }

  /** Ends it, with all channels. Resolves when it is gone. */
  end(): Promise<void> {
    const { exitCode, signalCode, pid } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return Promise.resolve();
    this.kill();
    return new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  forget(worker: number): void {
    if (this.#channels.delete(worker)) this.#events.closed();
  }

  #add(worker: number, listener: ChannelListener): BrokeredChannel {
    const channel = new BrokeredChannel(this, worker, listener);
    this.#channels.set(worker, channel);
    return channel;
  }

  #onMessage(message: FromBroker, handle: Handle | undefined): void {
    if (message.type === 'reconnected') this.#welcome(message);
    const channel = this.#channels.get(message.worker);
    if (!channel || message.type !== 'heard') handle?.close();
    if (message.type === 'heard') channel?.heard(message.message, message.internal, handle);
    if (message.type === 'unsent') channel?.failed(message.id);
    if (message.type === 'channel-closed') channel?.listener.cutOff(message.reason);
    if (message.type === 'closed') channel?.ended(false);
  }

  #welcome({ worker, mark, pid }: Extract<FromBroker, { type: 'reconnected' }>): void {
    if (worker >= 0 || this.#channels.has(worker)) return;
    const channel = this.#add(worker, { message: (_message, _internal, handle) => handle?.close(), cutOff() {} });
    if (!this.#events.returned(mark, pid, channel)) channel.close();
  }

  #exited(how: string): void {
    for (const channel of [...this.#channels.values()]) channel.ended(true);
    this.#events.exited(how);
  }
}

/** A channel that a broker reads. */
class BrokeredChannel implements Channel {
  listener: ChannelListener;
  isOpen = true;
  readonly #broker: BrokerProcess;
  readonly #worker: number;
  readonly #closed: ((isLost: boolean) => void)[] = [];
  /** The last message with a handle. Only for such a one does it matter whether it could be sent. */
  #last: { id: number; done: (error: Error | null) => void } | undefined;
  #lastId = 0;
  /** Messages that the broker has not read yet. */
  #unread = 0;

  constructor(broker: BrokerProcess, worker: number, listener: ChannelListener) {
    this.#broker = broker;
    this.#worker = worker;
    this.listener = listener;
  }

  send: Send = (message, handle, done = () => {}) => {
    if (!this.isOpen) return false;
    this.#lastId += 1;
    const id = this.#lastId;
    if (handle) this.#last = { id, done };
    this.#unread += 1;
    this.#broker.send({ type: 'send', worker: this.#worker, id, message }, handle, (error) => {
      this.#unread -= 1;
      done(error);
    });
    return true;
  };

  heard(message: unknown, internal: boolean, handle: Handle | undefined): void {
    if (this.#unread <= workerLimits.unreadHandles) {
      this.listener.message(message, internal, handle);
      return;
    }
    handle?.close();
    const reason = `it sent ${inattention}`;
    this.listener.cutOff(reason);
    this.close(reason);
  }

  failed(id: number): void {
    if (this.#last?.id === id) this.#last.done(new Error('the process has closed its channel'));
  }

  close(reason?: string): void {
    if (!this.isOpen) return;
    this.#broker.send({ type: 'close', worker: this.#worker, ...(reason !== undefined && { reason }) });
    this.ended(false);
  }

  onceClosed(closed: (isLost: boolean) => void): void {
    this.#closed.push(closed);
  }

  ended(isLost: boolean): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#broker.forget(this.#worker);
    for (const closed of this.#closed) closed(isLost);
  }
}

/** Throws TypeError. */
function parsed(message: unknown, handle: Handle | undefined): FromBroker {
  try {
    return parseFromBroker(message, 'message');
  } catch (error) {
    handle?.close();
    throw error;
  }
}

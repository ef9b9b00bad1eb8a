// The keeper of the previous daemon, which hands over what it keeps.
import type { Released, UpMessage } from '../../../ipc/worker-messages.ts';
import { keeperPrefix, marker } from '../../../ipc/worker-messages.ts';
import type { Handle } from '../../../os/handle.ts';
import { isSameProcess } from '../../../os/proc.ts';
import type { Clock } from '../../../shared/clock.ts';
import { throwUncaught } from '../../../shared/throw-uncaught.ts';
import type { Channel } from '../../channels/channel.ts';
import { endKeeper, type KeeperRecord, type KeptSocket } from './keeper.ts';

export interface Return {
  /** Called for each socket. */
  take(socket: KeptSocket): void;
  /** Called after the last one. Returns false if the former keeper is still needed. */
  done(): boolean;
  /** Resolves when the next daemon knows of the keeper that replaces it. */
  settled(): Promise<void>;
}

/** Milliseconds for a former keeper to return. It has to start a Node first. */
const patience = 10_000;
/** The same if the recorded one is gone: it may have a successor of which the previous daemon had no time to tell. */
const patienceWithoutIt = 2_000;

export class FormerKeeper {
  readonly record: KeeperRecord;
  readonly #mine: Return;
  readonly #cancel: () => void;
  /** Resolves when it has returned its sockets, or never will. */
  readonly returned: Promise<void>;
  /** Resolves when it is not needed any more. */
  readonly gone: Promise<void>;
  #hasReturned = () => {};
  #isGone = () => {};

  constructor(record: KeeperRecord, clock: Clock, mine: Return) {
    this.record = record;
    this.#mine = mine;
    this.returned = new Promise((resolve) => {
      this.#hasReturned = resolve;
    });
    this.gone = new Promise((resolve) => {
      this.#isGone = resolve;
    });
    this.#cancel = clock.after(isSameProcess(record) ? patience : patienceWithoutIt, () => this.end());
  }

  isCalled(mark: string): boolean {
    return mark === `${keeperPrefix}${this.record.token}`;
  }

  attach(channel: Channel): void {
    channel.listener = {
      message: (message, internal, handle) =>
        this.#hear(channel, internal ? (message as UpMessage) : undefined, handle),
      cutOff: () => {},
    };
  }

  /** Nobody needs what it keeps. When this returns, it is gone. */
  end(): void {
    this.#cancel();
    endKeeper(this.record);
    this.#hasReturned();
    this.#isGone();
  }

  #hear(channel: Channel, message: UpMessage | undefined, handle: Handle | undefined): void {
    if (message?.type === 'held' && handle) this.#mine.take({ key: message.key, handle });
    else handle?.close();
    if (message?.type !== 'returned') return;
    this.#cancel();
    this.#dismiss(channel).catch(throwUncaught);
    this.#hasReturned();
  }

  /** Not before the next daemon would find its successor: this daemon may die at any moment. */
  async #dismiss(channel: Channel): Promise<void> {
    if (!this.#mine.done()) {
      channel.close();
      return;
    }
    await this.#mine.settled();
    release(channel);
    this.#isGone();
  }
}

/** Tells a keeper that it is not needed any more. */
export function release(channel: Channel): void {
  channel.send({ cmd: marker, type: 'released' } satisfies Released);
}

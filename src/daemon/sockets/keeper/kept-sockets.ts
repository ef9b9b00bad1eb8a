// The `--listen` sockets of one app, which outlive the daemon: its own keeper, and that of the previous daemon until it has
// returned what it keeps.
import { BindError } from '../../../os/handle.ts';
import type { Identity } from '../../../os/tree.ts';
import type { Channel } from '../../channels/channel.ts';
import type { GroupSockets } from '../group-sockets.ts';
import { FormerKeeper } from './former-keeper.ts';
import { endKeeper, Keeper, type KeeperOptions, type KeeperRecord, type KeptSocket } from './keeper.ts';

type Sockets = Pick<GroupSockets, 'held' | 'takeOver'>;

export class KeptSockets {
  readonly #sockets: Sockets;
  readonly #options: KeeperOptions;
  readonly #keeper: Keeper;
  #former: FormerKeeper | undefined;

  constructor(sockets: Sockets, options: KeeperOptions) {
    this.#sockets = sockets;
    this.#options = options;
    this.#keeper = new Keeper(options);
  }

  /** For the next daemon. */
  get record(): KeeperRecord | undefined {
    return this.#keeper.record ?? this.#former?.record;
  }

  /** Whether the keeper of the previous daemon has not returned yet. */
  get isExpecting(): boolean {
    return this.#former !== undefined;
  }

  /** Has all that the daemon holds by now kept. */
  hold(): boolean {
    return this.#keeper.hold(this.#held());
  }

  /** The processes of the app that run. */
  tell(processes: readonly Identity[]): void {
    this.#keeper.tell(processes);
  }

  /** `record`: that of the previous daemon. If that one has handed its sockets over, its keeper is not needed any more. */
  inherit(record: KeeperRecord): void {
    this.#keeper.follow(record);
    if (this.#held().length > 0) {
      if (this.hold()) endKeeper(record);
      return;
    }
    const former = new FormerKeeper(record, this.#options.clock, {
      take: (socket) => this.#restore(socket),
      done: () => this.hold(),
      settled: this.#options.settled,
    });
    this.#former = former;
    // It never rejects.
    void former.gone.then(() => {
      if (this.#former === former) this.#former = undefined;
    });
  }

  /** Resolves when there is nothing to wait for, or with `abort`. */
  async returned(abort?: AbortSignal): Promise<void> {
    if (!this.#former) return;
    const aborted = new Promise<void>((resolve) => abort?.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.#former.returned, aborted]);
  }

  /** For a connection that says it comes from a keeper. Returns false if it is not that of this app. */
  attach(mark: string, channel: Channel): boolean {
    if (!this.#former?.isCalled(mark)) return false;
    this.#former.attach(channel);
    return true;
  }

  /** Nothing is kept from now on: the next client is refused. */
  end(): void {
    this.#former?.end();
    this.#former = undefined;
    this.#keeper.end();
  }

  /** Not those of systemd, which keeps them itself. */
  #held(): KeptSocket[] {
    return this.#sockets.held().filter(({ fixed }) => fixed);
  }

  #restore({ key, handle }: KeptSocket): void {
    try {
      this.#sockets.takeOver({ key, slot: null, fixed: true, handle });
    } catch (error) {
      if (!(error instanceof BindError)) throw error;
      handle.close();
    }
  }
}

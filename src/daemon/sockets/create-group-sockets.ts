// The listening sockets of one group, for all ways of sharing.
import type { ListenAddress } from '../../config/options/parsers.ts';
import { type DownMessage, marker, type UpMessage } from '../../ipc/worker-messages.ts';
import { type Address, addressOf, renderAddress, renderOwn } from '../../os/address.ts';
import { BindError } from '../../os/sockets/handle.ts';
import type { Handle } from '../../os/sockets/node-handles.ts';
import { installed } from '../../shared/paths.ts';
import { deferred } from '../../shared/promises.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Child, InheritedSocket } from '../launch/launcher.ts';
import { type Accepting, acceptingOn } from './accepting.ts';
import type { AddressBook } from './address-book.ts';
import { BindAnswers, type BindMessage } from './bind-answers.ts';
import { openFixed } from './fixed.ts';
import type { GroupSockets, GroupSocketsOptions, HeldAddress, Refusal, SocketsApp } from './group-sockets.ts';
import type { Grant, HeldHandle } from './held-socket.ts';
import { holdingAt, listeningPortsOf } from './holding.ts';
import type { Keeper } from './keeper.ts';
import { Listening } from './listening.ts';
import { ProbeLines } from './probe-lines.ts';
import { Served } from './served.ts';
import { type SocketEntry, SocketTable } from './socket-table.ts';
import { isSpreadMessage, spread } from './spreading.ts';

export function createGroupSockets(options: GroupSocketsOptions): GroupSockets {
  return new SocketsOfGroup(options);
}

type Held = Extract<UpMessage, { type: 'return-socket' }>;

/** What processes could not bind. Forgotten if one was given another socket since: many apps try the next port. */
const refusals = new WeakMap<Child, Refusal>();
/** Processes that may have sockets of a dead daemon. They may return them later than they are expected to. */
const returning = new WeakSet<Child>();
/** Processes that are gone. Their last messages may arrive after they were reaped. */
const goneChildren = new WeakSet<Child>();

class SocketsOfGroup implements GroupSockets {
  readonly accepting: Accepting;
  readonly listening = new Listening();
  readonly probing = new ProbeLines();
  readonly served: Served;
  readonly #table: SocketTable;
  /** Keeps the sockets of `--listen` for the next daemon, if the processes cannot hand them back themselves. */
  readonly #keeper: Pick<Keeper, 'look' | 'returned'> | undefined;
  readonly #app: SocketsApp;
  readonly #activator: string | undefined;
  readonly #answers: BindAnswers;
  readonly #book: AddressBook;
  /** Processes that have not returned yet, each with the function to call when it has. */
  readonly #expected = new Map<Child, () => void>();
  #returns: Promise<unknown> = Promise.resolve();

  constructor(options: GroupSocketsOptions) {
    const { node, app, activator = installed.activate, keeper, now = () => 0, ...terms } = options;
    this.#book = terms.book;
    this.#app = app ?? { spec: { listen: [] }, stageOf: () => 'starting', look: () => {} };
    if (!node) this.#keeper = keeper;
    this.#table = new SocketTable(node ? terms : { ...terms, schedule: 'kernel' });
    this.#activator = node ? undefined : activator;
    this.#answers = new BindAnswers({
      table: this.#table,
      isGone: (child) => goneChildren.has(child),
      stageOf: (child) => this.#app.stageOf(child),
      prepared: () => this.#app.look(),
      give: (...grant) => this.#give(...grant),
      refused: (child, request, { code, holder }) =>
        refusals.set(child, { address: addressOf(request), code, holder, at: now() }),
    });
    this.accepting = acceptingOn(this.#table);
    this.served = new Served(this.#table, this.listening);
  }

  async open(addresses: ListenAddress[]): Promise<void> {
    await this.#complete();
    const before = this.#fixed.length;
    try {
      await openFixed(this.#table, addresses, this.#app.spec, this.#activator);
    } finally {
      if (before + this.#fixed.length > 0) this.#keeper?.look();
    }
  }

  inherited(): InheritedSocket[] {
    return this.#fixed.map(({ socket }) => ({ fd: socket.handle().fd, name: socket.name }));
  }

  get ports(): number[] {
    return listeningPortsOf(this.#table.entries);
  }

  receive(child: Child, message: UpMessage, handle?: Handle): void {
    if (goneChildren.has(child)) {
      handle?.close();
      return;
    }
    if (message.type === 'return-socket' && handle) this.#takeBack(child, message, handle);
    if (message.type === 'sockets-returned') this.#hasReturned(child);
    if (message.type === 'bind') this.#handleBindRequest(child, message);
    if (message.type === 'check-port') this.#checkPort(child, message);
    if (message.type === 'wants-messages') this.#introduce(child);
    if (message.type === 'accepted' || message.type === 'declined') this.#handedOver(child, message);
    if (isSpreadMessage(message)) spread(this.#table.get(message.key)?.socket, child, message, handle);
    if (message.type === 'closed') this.#closed(child, message.key);
    if (message.type === 'listening') this.#began(child, message);
    if (message.type === 'serving') this.listening.settled(child);
  }

  expect(child: Child, timeout: Promise<unknown>): void {
    returning.add(child);
    const { promise: returned, resolve } = deferred();
    this.#expected.set(child, resolve);
    const done = Promise.race([returned, timeout]).then(() => this.#expected.delete(child));
    this.#returns = Promise.all([this.#returns, done]);
  }

  async returned(abort?: AbortSignal): Promise<void> {
    await this.#keeper?.returned(abort);
  }

  held(): HeldHandle[] {
    return this.#table.entries.flatMap(({ key, fixed, socket: { heldHandle: handle } }) =>
      handle ? { key, fixed, handle } : [],
    );
  }

  takeOver({ key, fixed, handle }: HeldHandle): void {
    const entry = this.#table.restore(key, handle, this.#app.spec, fixed);
    entry.fixed ||= fixed;
    entry.isKept = true;
  }

  get waiting(): number {
    return this.#table.entries.reduce((sum, { socket }) => sum + (socket.waiting ?? 0), this.#answers.pending);
  }

  leaving(child: Child): void {
    this.#keepServed(child);
    for (const { members, socket } of this.#table.entries) {
      const member = members.get(child);
      if (member) socket.leaving?.(member);
    }
    this.accepting.departed(child);
  }

  lost(child: Child): void {
    for (const { socket } of this.#table.entries) socket.lost?.(child);
    this.accepting.lost(child);
    this.probing.lost(child);
  }

  released(child: Child): void {
    goneChildren.add(child);
    this.#expected.get(child)?.();
    this.withdrawn(child);
    this.probing.lost(child);
  }

  withdrawn(child: Child): void {
    this.#keepServed(child);
    this.listening.gone(child);
    for (const { members, socket } of this.#table.entries) {
      const member = members.get(child);
      members.delete(child);
      if (member) socket.left?.(member);
    }
    this.accepting.departed(child);
  }

  refusalOf(child: Child): Refusal | undefined {
    return refusals.get(child);
  }

  holderOf(address: Address): string | undefined {
    return this.#book.holderOf(address);
  }

  urlsOf(child: Child): string[] {
    return this.probing.urlsOf(child);
  }

  addresses(): string[] {
    return this.#table.entries.map(({ socket }) => renderAddress(socket.address));
  }

  get closable(): HeldAddress[] {
    return this.#table.entries.flatMap(({ fixed, members, isKept, close }) => {
      const isOf = (child: Child) => members.has(child) || returning.has(child) || this.#answers.isAwaitedBy(child);
      return fixed ? [] : [{ isKept, isOf, close }];
    });
  }

  close(): void {
    const { entries } = this.#table;
    for (const { close } of entries) close();
    if (entries.length > 0) this.#keeper?.look();
  }

  get #fixed(): SocketEntry[] {
    return this.#table.entries.filter(({ fixed }) => fixed);
  }

  #keepServed(child: Child): void {
    for (const entry of this.#table.entries) entry.isKept ||= this.listening.at(child, entry.key)?.isServed === true;
  }

  /** Resolves when all expected processes have returned. */
  async #complete(): Promise<void> {
    while (this.#expected.size > 0) await this.#returns;
    await this.returned();
  }

  #handleBindRequest(child: Child, request: BindMessage): void {
    if (this.#expected.size === 0) this.#answers.answer(child, request);
    else
      this.#complete()
        .then(() => this.#answers.answer(child, request))
        .catch(throwUncaught);
  }

  #hasReturned(child: Child): void {
    returning.delete(child);
    this.#expected.get(child)?.();
  }

  /** Closes a socket of a process that cannot have one of another daemon. */
  #takeBack(child: Child, message: Held, handle: Handle): void {
    if (returning.has(child)) this.#restore(child, message, handle);
    else handle.close();
  }

  #restore(child: Child, { key, mode, origin }: Held, handle: Handle): void {
    try {
      const entry = this.#table.restore(key, handle, child.plan.spec);
      this.#table.join(entry, child);
      if (mode !== 'handed') return;
      child.send({ cmd: marker, type: 'restore-socket', origin } satisfies DownMessage, entry.socket.handle());
    } catch (error) {
      if (!(error instanceof BindError)) throw error;
      // Another app has the address by now, or it is not that socket. The process keeps its own descriptor.
      handle.close();
    }
  }

  /** Sends the sockets of `--listen` by message (classic master-worker style). With `rr`, no handle is needed. */
  #introduce(child: Child): void {
    for (const entry of this.#fixed) this.#give(entry, child, { cmd: marker, type: 'server', key: entry.key });
  }

  #give(entry: SocketEntry, child: Child, grant: Grant): void {
    const { key, socket } = entry;
    const handle = socket.handle();
    this.#table.join(entry, child);
    refusals.delete(child);
    const isOut = grant.type === 'granted' && this.accepting.given(child, key);
    child.send(
      isOut ? { ...grant, isOut } : grant,
      grant.type === 'server' && socket.way === 'handed' ? undefined : handle,
    );
  }

  #began(child: Child, news: Extract<UpMessage, { type: 'listening' }>): void {
    const { key, address, canLeave = false, isOnDemand = false } = news;
    const entry = this.#table.get(key);
    const member = entry?.members.get(child);
    const text = entry ? renderAddress(entry.socket.address) : renderOwn(address);
    if (!this.listening.began(child, key, text, this.#app.stageOf(child), isOnDemand)) return;
    this.probing.began(child, news);
    if (!member) return;
    this.accepting.began(child, key, canLeave);
    if (this.accepting.accepts(child, key)) entry?.socket.joined?.(member);
  }

  #checkPort(child: Child, { seq, ...place }: Extract<UpMessage, { type: 'check-port' }>): void {
    const { isOwn, holding } = holdingAt(this.#table.entries, { ...place, kind: 'tcp' }, child, this.listening);
    if (isOwn) this.accepting.letIn(child);
    child.send({ cmd: marker, type: 'port-checked', seq, holding } satisfies DownMessage);
  }

  #handedOver(child: Child, message: Extract<UpMessage, { type: 'accepted' | 'declined' }>): void {
    this.probing.answered(child, message.seq, message.type === 'accepted');
    for (const { socket } of this.#table.entries) {
      if (message.type === 'accepted') socket.accepted?.(child, message.seq);
      else socket.declined?.(child, message.seq);
    }
  }

  #closed(child: Child, key: string): void {
    this.probing.closed(child, key);
    this.listening.closed(child, key);
    const entry = this.#table.get(key);
    const member = entry?.members.get(child);
    if (entry && member) this.#table.leave(entry, member);
    if (entry?.members.has(child)) return;
    this.accepting.ended(child, key);
    this.#app.look();
  }
}

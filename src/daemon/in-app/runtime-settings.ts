// The runtime settings of one app: kept for the next daemon, given to each new process, and changed in all running ones at the same
// moment. A change has two phases: the processes that have checks are asked whether they accept it; if none rejects it, it is written down,
// then sent to all. So a change that a process rejects has happened nowhere, and one that a process has got survives this daemon.
//
// A process whose event loop is blocked replies to nothing, and must not hold a change up for ever. It has not rejected it, so it gets
// it when it is back. Until then nothing more is sent to it, however often the settings change.
import { changedKeys } from '../../ipc/app/runtime-settings.ts';
import type { RuntimeValues } from '../../ipc/app/views.ts';
import { type DownMessage, type InAppUp, marker } from '../../ipc/worker-messages.ts';
import type { Clock } from '../../shared/clock.ts';
import { failure } from '../../shared/errors.ts';
import { oneByOne } from '../../shared/promises.ts';
import type { DaemonEvent } from '../events.ts';
import type { Child } from '../launch/launcher.ts';
import type { RuntimeRecord } from '../process/record.ts';

/** Milliseconds for the checks of the app. Above the limit of one that returns a promise: worker/in-app/settings.ts. */
export const voteTimeout = 3_000;
/** Milliseconds that a change waits for processes to confirm that they have it. */
export const confirmTimeout = 1_000;

export interface SettingsOwner {
  readonly name: string;
  readonly clock: Clock;
  /** The running processes that can be told; those that are leaving have no vote. */
  children(): { child: Child; votes: boolean }[];
  /** Called after each change that the next daemon must know about. */
  changed(): void;
  /** Resolves when the next daemon would know of all changes so far. */
  kept(): Promise<void>;
  emit(event: DaemonEvent): void;
}

interface Vote {
  proposal: number;
  round: Round;
  /** With the slots of the processes that give it. */
  reasons: Map<string, number[]>;
}

const none: RuntimeRecord = { version: 0, values: {} };

// One of each for all apps, as a process belongs to one of them: for each app, they would take a kilobyte.
const versions = new WeakMap<Child, number>();
/** Those that have checks. */
const checking = new WeakSet<Child>();
/** The version that each was last told. */
const sentVersions = new WeakMap<Child, number>();
/** Those that have not replied to the last message. */
const silentOnes = new WeakSet<Child>();

export class RuntimeSettings {
  readonly #owner: SettingsOwner;
  #held: RuntimeRecord;
  readonly #inTurn = oneByOne();
  #lastProposal = 0;
  #vote: Vote | undefined;
  #confirming: Round | undefined;

  constructor(owner: SettingsOwner, past: RuntimeRecord = none) {
    this.#owner = owner;
    this.#held = past;
  }

  /** For the next daemon, the saved list, and an app that takes this one's place. Undefined if there never were any. */
  get record(): RuntimeRecord | undefined {
    return this.#held === none ? undefined : this.#held;
  }

  get held(): RuntimeRecord {
    return this.#held;
  }

  /** The version that the process has last confirmed; null if none. */
  versionOf(child: Child): number | null {
    return versions.get(child) ?? null;
  }

  /** Continues with those of an app that this one replaces, or of the saved list. Only before the first change. */
  inherit(past: RuntimeRecord | undefined): void {
    if (!past || this.record) return;
    this.#held = past;
    this.#owner.changed();
  }

  /**
   * Changes the settings when all earlier changes are done. `next` throws what is wrong with the change. Rejects with
   * SETTINGS_REJECTED; then nothing has changed anywhere.
   */
  change(next: (held: RuntimeRecord) => Omit<RuntimeRecord, 'version'>): Promise<void> {
    return this.#inTurn(async () => this.#change(next(this.#held)));
  }

  /** Whether the process has something against some changes, and so has to be asked. */
  checks(child: Child, has: boolean): void {
    if (has) checking.add(child);
    else checking.delete(child);
  }

  onMessage(child: Child, message: Extract<InAppUp, { type: 'settings-held' | 'settings-vote' }>): void {
    silentOnes.delete(child);
    if (message.type === 'settings-held') {
      versions.set(child, message.version);
      this.#confirming?.settle(child);
    } else if (message.proposal === this.#vote?.proposal) {
      const { reasons, round } = this.#vote;
      const { reason } = message;
      // Each process has one vote, and none if it is leaving.
      const counts = round.settle(child);
      if (counts && reason !== undefined) reasons.set(reason, [...(reasons.get(reason) ?? []), child.plan.slot]);
      // Whether it gets them is still open.
      return;
    }
    const { version } = this.#held;
    // Whatever it replies, it is not told the same twice.
    if ((this.versionOf(child) ?? 0) !== version && sentVersions.get(child) !== version) this.#send(child);
  }

  /** The process has another channel: what was sent on the last one may be lost. */
  returned(child: Child): void {
    silentOnes.delete(child);
    if (this.record) this.#send(child);
  }

  gone(child: Child): void {
    this.#vote?.round.settle(child);
    this.#confirming?.settle(child);
  }

  async #change(next: Omit<RuntimeRecord, 'version'>): Promise<void> {
    const keys = changedKeys(this.#held.values, next.values);
    if (keys.length > 0) await this.#expectConsent(next.values);
    else if (next.file === this.#held.file) return;
    const version = this.#held.version + (keys.length > 0 ? 1 : 0);
    this.#held = { ...next, version };
    this.#owner.changed();
    await this.#owner.kept();
    if (keys.length === 0) return;
    await this.#spread();
    this.#owner.emit({ type: 'settings-changed', app: this.#owner.name, version, keys });
  }

  /** Rejects with SETTINGS_REJECTED. */
  async #expectConsent(values: RuntimeValues): Promise<void> {
    this.#lastProposal += 1;
    const proposal = this.#lastProposal;
    const text = JSON.stringify(values);
    const voters = this.#owner.children().filter(({ child, votes }) => votes && checking.has(child));
    if (voters.length === 0) return;
    const asked = this.#sendTo(voters, { cmd: marker, type: 'settings-proposed', proposal, values: text });
    const { name, clock } = this.#owner;
    const vote: Vote = { proposal, reasons: new Map(), round: new Round(asked, voteTimeout, clock) };
    this.#vote = vote;
    await vote.round.over;
    this.#vote = undefined;
    const reasons = [...vote.reasons].map(([reason, slots]) => `${reason} (${renderSlots(slots)})`);
    if (reasons.length > 0) throw failure('SETTINGS_REJECTED', { name, reasons });
  }

  /** Resolves when all have them, but for those that are blocked. */
  async #spread(): Promise<void> {
    const reached = this.#sendTo(this.#owner.children(), this.#message);
    for (const child of reached) sentVersions.set(child, this.#held.version);
    this.#confirming = new Round(reached, confirmTimeout, this.#owner.clock);
    await this.#confirming.over;
    this.#confirming = undefined;
  }

  get #message(): DownMessage {
    const { version, values } = this.#held;
    return { cmd: marker, type: 'settings', version, values: JSON.stringify(values) };
  }

  #send(child: Child): void {
    if (!child.send(this.#message)) return;
    silentOnes.add(child);
    sentVersions.set(child, this.#held.version);
  }

  /** Returns those that can reply. */
  #sendTo(processes: { child: Child }[], message: DownMessage): Child[] {
    const reached = processes
      .map(({ child }) => child)
      .filter((child) => !silentOnes.has(child) && child.send(message));
    for (const child of reached) silentOnes.add(child);
    return reached;
  }
}

function renderSlots(slots: readonly number[]): string {
  const sorted = [...slots].sort((one, other) => one - other);
  return `${sorted.length === 1 ? 'instance' : 'instances'} ${sorted.join(', ')}`;
}

/** A message to several processes that each of them replies to, and the time that they have for it. */
class Round {
  /** Resolves when all have replied or are gone, or the time is up. */
  readonly over: Promise<void>;
  readonly #awaited: Set<Child>;
  #end = () => {};

  /** `timeout`: milliseconds for a process whose event loop is blocked, or that does not understand the message. */
  constructor(children: Iterable<Child>, timeout: number, clock: Clock) {
    this.#awaited = new Set(children);
    this.over = new Promise((resolve) => {
      if (this.#awaited.size === 0) return resolve();
      const cancel = clock.after(timeout, resolve);
      this.#end = () => {
        cancel();
        resolve();
      };
    });
  }

  /** The process has replied, or will not. False if it was not waited for. */
  settle(child: Child): boolean {
    const wasAwaited = this.#awaited.delete(child);
    if (wasAwaited && this.#awaited.size === 0) this.#end();
    return wasAwaited;
  }
}

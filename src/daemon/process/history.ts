// The history of a slot, across the processes that fill it.
import { type EndReason, isPlanned } from '../../ipc/records/deaths.ts';
import type { Exit } from '../../ipc/views.ts';
import { type Death, isExpected, type LastDeath, summedUp } from './death/death.ts';
import type { LifecycleEvent } from './lifecycle/state.ts';
import type { FailedReload, ProcessRecord } from './record.ts';

export class SlotHistory {
  /** Restarts that nobody asked for. */
  restarts = 0;
  /** Restarts for which there was nothing wrong with the process: by a command, a schedule, its age. */
  planned = 0;
  /** Requests that were in flight in processes of this slot when they were killed at the kill timeout. */
  cutShort = 0;
  /** How the last process of this slot ended. */
  lastExit: Exit | null = null;
  /** Whether that end was requested. */
  endedAsAsked = false;
  /** Since a person has stopped it, or the machine was booted: only a command starts it again. */
  isLeftAlone = false;
  /** Whether it waits for a command of its own, as after `POST /deploy`: its client, too, waits for that. */
  awaitsCommand = false;
  /** The last death that was not planned, with how often in a row, since the slot was last started on request. */
  lastDeath: LastDeath | null = null;
  /** Wall-clock time of the last spawn, milliseconds since 1970. */
  spawnedAt: number | null = null;
  /** Once a process of this slot has listened, the next one that nobody asked for is ready only when it listens too. */
  expectsToListen = false;
  /** Whether any process of this slot has listened; null while none has run for long enough to tell. */
  hasListened: boolean | null = null;
  /** The current process was taken for ready because it stays up: it neither listens nor has said anything. */
  isSilent = false;
  /** The last attempt to replace the current process, which has failed; null if none has. */
  failedReload: FailedReload | null = null;
  #isFirst = false;
  #hasEnded = false;

  /** A command has started it, no process has ended since, and none has ever listened. */
  get isFirst(): boolean {
    return this.#isFirst && !this.hasListened;
  }

  /** Another process takes the place of one that ran. A restart because of a limit was counted when it was exceeded. */
  countReplacement(reason: EndReason): void {
    if (isPlanned(reason)) this.planned += 1;
  }

  /** The number comes from the app and goes into the state file, so what is not a number of requests is not counted. */
  countCut(requests: number): void {
    const sum = this.cutShort + requests;
    if (requests > 0 && Number.isSafeInteger(sum)) this.cutShort = sum;
  }

  keepExit(exit: Exit, asked: boolean, death?: Death): void {
    if (death && death.by === null && !isExpected(death)) this.lastDeath = summedUp(death, this.lastDeath);
    this.lastExit = exit;
    this.endedAsAsked = asked;
    this.#isFirst = false;
    this.#hasEnded = true;
  }

  resetCounters(): void {
    this.restarts = 0;
    this.planned = 0;
    this.cutShort = 0;
  }

  /** Notes what the current process shows of itself. */
  onEvent({ type }: LifecycleEvent): void {
    if (type !== 'ready' && type !== 'listening') return;
    this.isSilent = false;
    if (type === 'ready') return;
    this.expectsToListen = true;
    this.hasListened = true;
  }

  /** A command starts the app, whatever the last process of the slot did. `replaced`: what the new one is to replace. */
  begin(replaced?: SlotHistory): void {
    this.lastDeath = null;
    this.#isFirst = true;
    if (replaced) this.#beginBeside(replaced);
    else this.expectsToListen = false;
  }

  /** A process starts. What its predecessor has shown is known from now on. */
  beginNext(at: number): void {
    this.spawnedAt = at;
    this.isLeftAlone = false;
    this.failedReload = null;
    if (this.isSilent) this.hasListened ??= false;
    this.isSilent = false;
  }

  /** If the predecessor listens, this one is ready only when it listens too. */
  #beginBeside({ expectsToListen, hasListened, isSilent }: SlotHistory): void {
    this.expectsToListen = expectsToListen;
    this.hasListened = hasListened ?? (isSilent ? false : null);
  }

  /** Takes over what belongs to the slot, not to the process. */
  inherit({ restarts, planned, lastExit }: Pick<SlotHistory, 'restarts' | 'planned' | 'lastExit'>): void {
    this.restarts = restarts;
    this.planned = planned;
    this.lastExit = lastExit;
  }

  /** Goes on in the place of a process that leaves by itself. */
  succeedTo(predecessor: SlotHistory): void {
    this.inherit(predecessor);
    this.#beginBeside(predecessor);
    this.lastDeath = predecessor.lastDeath;
  }

  /** Adds what happened to the predecessor after this process had taken its place. */
  settleFor({ cutShort, lastExit, lastDeath }: SlotHistory): void {
    this.cutShort += cutShort;
    if (this.#hasEnded) return;
    this.lastExit = lastExit;
    this.lastDeath = lastDeath;
  }

  historyRecord() {
    const { restarts, planned, cutShort, lastExit, endedAsAsked, lastDeath, spawnedAt } = this;
    const { expectsToListen, hasListened, isSilent, isLeftAlone, failedReload } = this;
    const rare = { ...(isLeftAlone && { isLeftAlone }), ...(failedReload && { failedReload }) };
    const counts = { restarts, ...(planned > 0 && { planned }), cutShort };
    const past = { expectsToListen, hasListened, isSilent, ...rare };
    return { ...counts, lastExit, endedAsAsked, ...(lastDeath && { lastDeath }), spawnedAt, ...past };
  }

  /** Restores the whole history from the previous daemon's record. */
  recall(record: Omit<ProcessRecord, 'state'>): void {
    this.inherit({ ...record, planned: record.planned ?? 0 });
    this.cutShort = record.cutShort;
    this.endedAsAsked = record.endedAsAsked;
    this.lastDeath = record.lastDeath ?? null;
    this.spawnedAt = record.spawnedAt;
    this.expectsToListen = record.expectsToListen;
    this.hasListened = record.hasListened;
    this.isSilent = record.isSilent;
    this.isLeftAlone = record.isLeftAlone ?? false;
    this.failedReload = record.failedReload ?? null;
  }
}

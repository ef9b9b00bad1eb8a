// The messages between one process and the daemon over Node's IPC channel.
import type { AppSpec } from '../../config/app-spec.ts';
import { signalsFor } from '../../config/stop-signal.ts';
import { asked, describeReason, type EndReason } from '../../ipc/records/deaths.ts';
import type { AppMessage } from '../../ipc/views.ts';
import {
  type DownMessage,
  type HandledErrorKind,
  type InAppUp,
  marker,
  type StopSignals,
  stopSignalOf,
  type UpMessage,
} from '../../ipc/worker-messages.ts';
import { hasPrivateErrorLog } from '../../os/blocked/inspector.ts';
import type { Handle } from '../../os/sockets/node-handles.ts';
import type { Child } from '../launch/launcher.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import type { LifecycleEvent } from './lifecycle/state.ts';
import { randomisedLimit } from './limit-jitter.ts';
import type { ProcessEvent } from './process-events.ts';
import { onAnswer } from './questions.ts';
import { describeRemaining, type Remains } from './remaining.ts';
import type { Unready } from './unready.ts';

/** What processes say through `nsv/app`. */
export interface ProcessInApp {
  onMessage(child: Child, message: InAppUp): void;
  /** The process has another channel: what was sent on the last one may be lost. */
  returned(child: Child): void;
  /** The process has ended. */
  gone(child: Child): void;
}

interface App {
  readonly sockets: GroupSockets;
  /** What the processes are to report. */
  readonly failures: { readonly wanted: HandledErrorKind[] };
  readonly inApp: Pick<ProcessInApp, 'onMessage' | 'returned'>;
  readonly isInterrupted: boolean;
}

/** Acts on what the process reports. */
export interface LineOwner {
  /** The settings the process was started with, plus changes that apply to all running processes. */
  readonly settings: AppSpec;
  dispatch(event: LifecycleEvent): void;
  emit(event: ProcessEvent): void;
  /** Something has changed that is not in its state. */
  changed(): void;
}

/** Processes whose app has called `process.disconnect()`: they still hear the daemon, but the app does not. */
const disconnected = new WeakSet<Child>();

/** Those whose app says by itself when it is ready. */
const reporting = new WeakSet<Child>();

export function reportsReadiness(child: Child): boolean {
  return reporting.has(child);
}

/** Those in which SIGUSR1 opens Node's inspector. */
const attachable = new WeakSet<Child>();

export function isAttachable(child: Child): boolean {
  return attachable.has(child);
}

export function hasDisconnected(child: Child): boolean {
  return disconnected.has(child);
}

export class WorkerLine {
  /** Requests in flight in a draining process, as it last reported. */
  #inFlight = 0;
  /** What a watchdog timer of the app has noticed: the likely reason if the process ends now. */
  hung: EndReason | undefined;
  /** The error for which its program could not be loaded. */
  unloadable: string | undefined;
  /** The stop signals that the app has had a handler for. */
  readonly #handled = new Set<NodeJS.Signals>();
  /** The HTTP requests it had received when it exceeded its limit. */
  requestsAtLimit: number | undefined;
  /** What clients still have of it, since it was asked to stop; undefined while it serves. */
  remains: Remains | undefined;
  readonly #child: Child;
  readonly #app: App;
  readonly #owner: LineOwner;
  readonly #unready: Pick<Unready, 'set'>;
  #isAskedToStop = false;
  #isLeaving = false;
  #hasOutlasted = false;

  constructor(child: Child, app: App, owner: LineOwner, unready: Pick<Unready, 'set'>) {
    this.#child = child;
    this.#app = app;
    this.#owner = owner;
    this.#unready = unready;
  }

  /** Tells the preload what it must know before anything goes wrong. */
  greet(): void {
    const { node, drainOnCrash, killTimeout, maxRequests } = this.#child.plan.spec;
    const ownLimit = Math.ceil(randomisedLimit(maxRequests));
    const { wanted: wantedErrors } = this.#app.failures;
    const limits = { drainOnCrash, killTimeout, maxRequests: ownLimit };
    if (node) this.#send({ cmd: marker, type: 'hello', ...limits, wantedErrors, ...threadFor(this.#child) });
  }

  /**
   * Asks a Node process to drain and exit; false if only the signal can ask it. `othersServe`: it may keep idle
   * connections.
   */
  askToStop(othersServe: boolean): boolean {
    const { node, killTimeout, shutdownWithMessage: message } = this.#owner.settings;
    this.#isAskedToStop = true;
    this.#app.sockets.leaving(this.#child);
    if (!node) return false;
    return this.#send({ cmd: marker, type: 'drain', ...this.#stopSignals, killTimeout, message, othersServe });
  }

  /** The signal that asks it, as far as the daemon knows its handlers. */
  get stopSignal(): NodeJS.Signals {
    return stopSignalOf(this.#stopSignals, (signal) => this.#handled.has(signal));
  }

  get #stopSignals(): StopSignals {
    return signalsFor(this.#owner.settings.stopSignal, this.#app.isInterrupted);
  }

  /** The requests in flight, once. */
  takeInFlight(): number {
    const requests = this.#inFlight;
    this.#inFlight = 0;
    return requests;
  }

  /** Takes back `othersServe`. */
  stopKeepingIdle(): void {
    if (this.#owner.settings.node) this.#send({ cmd: marker, type: 'stop-keeping-idle' });
  }

  /** Both kinds are parsed. `internal`: the message came from nsv's preload, not from the app. */
  onMessage(message: unknown, internal: boolean, handle?: Handle): void {
    if (internal) this.#onWorkerMessage(message as UpMessage, handle);
    else if (message === 'ready') this.#owner.dispatch({ type: 'ready' });
    else if (asksToLeave(message)) this.#leaves(asked('the app', 'the app asked for its replacement'));
    else if (isAppMessage(message))
      this.#owner.emit({ type: 'message', pid: this.#child.pid, message: { type: message.type, data: message.data } });
  }

  /** An app may say so more than once. */
  #leaves(reason: EndReason): void {
    const { pid } = this.#child;
    if (!this.#isAskedToStop && !this.#isLeaving)
      this.#owner.emit({ type: 'leaving', pid, reason: describeReason(reason) });
    this.#isLeaving = true;
    this.#owner.dispatch({ type: 'leaving', reason });
  }

  #onWorkerMessage(message: UpMessage, handle?: Handle): void {
    switch (message.type) {
      case 'draining':
        this.#owner.dispatch({ type: 'answered' });
        break;
      case 'leaving':
        this.#app.sockets.leaving(this.#child);
        this.#leaves(this.#reasonOf(message));
        break;
      case 'disconnected':
        disconnected.add(this.#child);
        break;
      case 'loaded':
        this.#owner.dispatch({ type: 'loaded', isIdle: message.isIdle });
        break;
      case 'unloadable':
        this.unloadable = message.error;
        break;
      case 'serving':
        this.#app.sockets.receive(this.#child, message);
        this.#owner.dispatch({ type: 'listening' });
        break;
      case 'handled-error':
        this.#owner.dispatch({ type: 'errorHandled', kind: message.kind });
        break;
      case 'request-limit':
        this.requestsAtLimit = message.requests;
        this.#owner.emit({ type: 'request-limit', pid: this.#child.pid, requests: message.requests });
        break;
      case 'only-idle-left':
        this.#served('idle connections');
        break;
      case 'remaining':
        this.#outlasts(message);
        break;
      case 'attachable':
        if (message.free) attachable.add(this.#child);
        else attachable.delete(this.#child);
        break;
      case 'handles':
        this.#handled.add(message.signal);
        break;
      case 'watchdog':
        this.hung = message.since === null ? undefined : hungSince(message.name, message.since);
        break;
      case 'readiness':
        reporting.add(this.#child);
        this.#unready.set('app', message.ready ? null : message.reason || 'it called notReady()');
        if (message.ready) this.#owner.dispatch({ type: 'ready' });
        else this.#owner.dispatch({ type: 'notReady' });
        break;
      case 'answer':
        onAnswer(this.#child, message);
        break;
      case 'settings-held':
      case 'settings-vote':
      case 'capabilities':
      case 'broadcast':
      case 'broadcasts-received':
      case 'ask-instances':
      case 'counters':
      case 'queue':
        this.#app.inApp.onMessage(this.#child, message);
        break;
      case 'in-flight':
        this.#inFlight = message.count;
        break;
      default:
        this.#onServerMessage(message, handle);
    }
  }

  #served(remains: Remains): void {
    if (!this.#isAskedToStop) return;
    this.#app.sockets.withdrawn(this.#child);
    this.remains = remains;
    this.#owner.changed();
  }

  /** Reported once. A second message says only that the last client is gone. */
  #outlasts(message: Extract<UpMessage, { type: 'remaining' }>): void {
    if (!this.#isAskedToStop) return;
    const detail = describeRemaining(message, this.stopSignal);
    if (!this.#hasOutlasted) this.#owner.emit({ type: 'not-exiting', pid: this.#child.pid, detail });
    this.#hasOutlasted = true;
    if (message.isFree) this.#served('nothing');
  }

  #reasonOf({ reason, by }: Extract<UpMessage, { type: 'leaving' }>): EndReason {
    if (this.hung) return this.hung;
    if (by === 'app') return asked('the app', reason);
    return { cause: by ?? 'uncaught error', detail: reason };
  }

  #onServerMessage(message: UpMessage, handle?: Handle): void {
    // When an app closes its server because it was asked to stop, its successor's clients must not be refused.
    if (message.type === 'closed' && this.#isAskedToStop) return;
    if (message.type === 'sockets-returned') this.#app.inApp.returned(this.#child);
    this.#app.sockets.receive(this.#child, message, handle);
  }

  #send(message: DownMessage): boolean {
    return this.#child.send(message);
  }
}

function threadFor({ pid, stackThread }: Child): Pick<Extract<DownMessage, { type: 'hello' }>, 'stackThread'> {
  return stackThread ? { stackThread: { fd: stackThread.fd, now: !hasPrivateErrorLog(pid) } } : {};
}

/** A time that no clock shows is one that the app has made up. */
function hungSince(name: string, since: number): EndReason {
  const date = new Date(since);
  const text = Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString();
  const timer = name === '' ? 'a watchdog timer' : `the watchdog timer "${name}"`;
  return { cause: 'watchdog timer', detail: `${timer} was not reset since ${text}` };
}

/** What apps in the classic master-worker style send before they disconnect and finish. */
function asksToLeave(message: unknown): boolean {
  if (message === 'new_worker') return true;
  return typeof message === 'object' && message !== null && 'act' in message && message.act === 'suicide';
}

function isAppMessage(message: unknown): message is AppMessage {
  return typeof message === 'object' && message !== null && 'type' in message && typeof message.type === 'string';
}

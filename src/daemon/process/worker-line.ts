// What one process and the daemon tell each other over the IPC channel of Node.
import type { AppSpec } from '../../config/app-spec.ts';
import type { AppMessage } from '../../ipc/views.ts';
import { type DownMessage, marker, type UpMessage } from '../../ipc/worker-messages.ts';
import type { Handle } from '../../os/handle.ts';
import type { DaemonEvent } from '../events.ts';
import type { Child } from '../launch/launcher.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import { randomisedLimit } from './limit-jitter.ts';

/** What a message of the process comes down to. */
export interface News {
  ready(): void;
  listening(): void;
  /** It has taken the request to stop. */
  answered(): void;
  /** It has been asked as many HTTP requests as it may. */
  spent(requests: number): void;
  /** It will end by itself and wants a successor now. */
  leaving(reason: string): void;
}

interface App {
  readonly sockets: GroupSockets;
  emit(event: DaemonEvent): void;
}

interface WorkerLineOptions {
  app: App;
  /** Those that the process was started with, but for what was changed for all that run. */
  settings: () => AppSpec;
  news: News;
}

export class WorkerLine {
  /** Requests under way in a process that drains, as far as it has said so. */
  inFlight = 0;
  readonly #child: Child;
  readonly #app: App;
  readonly #settings: () => AppSpec;
  readonly #news: News;
  #isAskedToStop = false;

  constructor(child: Child, { app, settings, news }: WorkerLineOptions) {
    this.#child = child;
    this.#app = app;
    this.#settings = settings;
    this.#news = news;
  }

  /** What the preload has to know before anything goes wrong. */
  greet(): void {
    const { node, drainOnCrash: suicide, killTimeout, maxRequests } = this.#child.plan.spec;
    const ownLimit = Math.ceil(randomisedLimit(maxRequests));
    if (node) this.#tell({ cmd: marker, type: 'hello', suicide, killTimeout, maxRequests: ownLimit });
  }

  /** Asks a Node process to drain and leave; false where only the signal can say it. */
  askToStop(): boolean {
    const { node, stopSignal, killTimeout, shutdownWithMessage } = this.#settings();
    this.#isAskedToStop = true;
    this.#app.sockets.leaving(this.#child);
    if (!node) return false;
    return this.#tell({ cmd: marker, type: 'drain', signal: stopSignal, killTimeout, message: shutdownWithMessage });
  }

  /** `internal`: it came from nsv's preload, else from the app. */
  hear(message: unknown, internal: boolean, handle?: Handle): void {
    if (internal) this.#hearWorker(message as UpMessage, handle);
    else if (message === 'ready') this.#news.ready();
    else if (asksToLeave(message)) this.#news.leaving('the app asked for its replacement');
    else if (isAppMessage(message)) this.#passOn(message);
  }

  /** To whoever follows the events. */
  #passOn({ type, data }: AppMessage): void {
    const { pid, plan } = this.#child;
    const subject = { app: plan.spec.name, id: plan.id, slot: plan.slot };
    this.#app.emit({ type: 'message', pid, message: { type, data }, ...subject });
  }

  #hearWorker(message: UpMessage, handle?: Handle): void {
    switch (message.type) {
      case 'draining':
        this.#news.answered();
        break;
      case 'suicide':
        this.#app.sockets.leaving(this.#child);
        this.#news.leaving(message.reason);
        break;
      case 'spent':
        this.#news.spent(message.requests);
        break;
      case 'in-flight':
        this.inFlight = message.count;
        break;
      default:
        this.#hearServer(message, handle);
    }
  }

  #hearServer(message: UpMessage, handle?: Handle): void {
    // An app that closes its server because it was asked to leave does not want its successor's clients refused.
    if (message.type === 'closed' && this.#isAskedToStop) return;
    if (this.#app.sockets.receive(this.#child.plan.slot, this.#child, message, handle)) this.#news.listening();
  }

  #tell(message: DownMessage): boolean {
    return this.#child.send(message);
  }
}

/** What apps in the classic master-worker style say before they disconnect and finish. */
function asksToLeave(message: unknown): boolean {
  if (message === 'new_worker') return true;
  return typeof message === 'object' && message !== null && 'act' in message && message.act === 'suicide';
}

function isAppMessage(message: unknown): message is AppMessage {
  return typeof message === 'object' && message !== null && 'type' in message && typeof message.type === 'string';
}

// Which processes have opened which queues (`nsv/queue`). The daemon reads no store: it tells the processes that work on a queue when
// another one has died, whose tasks they give back at once.
import type { OpenedQueueView } from '../../ipc/app/views.ts';
import { type InAppUp, marker, type QueuePart } from '../../ipc/worker-messages.ts';
import type { Child } from '../launch/launcher.ts';

export type QueueNews = Extract<InAppUp, { type: 'queue' }>;

interface Member {
  name: string;
  place: string;
  owner: string;
  part: QueuePart;
}

/** Of one process. */
export const mostQueues = 100;
/** Owners that are kept for the next process that works on a queue, and queues for which some are kept. */
export const mostOwners = 100;
const mostOrphaned = 100;

export class Queues {
  readonly #members = new Map<Child, Map<string, Member>>();
  /** Owners that have died while nobody else worked on the queue, by queue. */
  readonly #orphaned = new Map<string, string[]>();
  /** The channel of a process may outlast it. */
  readonly #ended = new WeakSet<Child>();

  onMessage(child: Child, { name, place, owner, part }: QueueNews): void {
    if (this.#ended.has(child)) return;
    const key = keyOf(name, place);
    const own = this.#members.get(child) ?? new Map<string, Member>();
    if (part === 'closed') own.delete(key);
    else if (own.has(key) || own.size < mostQueues) own.set(key, { name, place, owner, part });
    if (own.size > 0) this.#members.set(child, own);
    else this.#members.delete(child);
    if (own.get(key)?.part === 'works') this.#emitOrphaned(child, name, place);
  }

  gone(child: Child): void {
    this.#ended.add(child);
    const own = this.#members.get(child);
    this.#members.delete(child);
    for (const member of own?.values() ?? []) if (member.part === 'works') this.#giveBack(member);
  }

  /** The names of the queues that a process has opened. */
  namesOf(child: Child): string[] {
    return [...new Set([...(this.#members.get(child)?.values() ?? [])].map(({ name }) => name))].sort();
  }

  view(): OpenedQueueView[] {
    const views = new Map<string, OpenedQueueView>();
    for (const [child, own] of this.#members) {
      const { plan, pid } = child;
      for (const [key, { name, place, part }] of own) {
        const view = views.get(key) ?? { name, place, processes: [] };
        views.set(key, view);
        view.processes.push({ app: plan.spec.name, id: plan.id, slot: plan.slot, pid, works: part === 'works' });
      }
    }
    for (const { processes } of views.values())
      processes.sort((one, other) => one.id - other.id || one.pid - other.pid);
    return [...views.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, view]) => view);
  }

  #giveBack({ name, place, owner }: Member): void {
    const key = keyOf(name, place);
    const workers = [...this.#members].filter(([, own]) => own.get(key)?.part === 'works').map(([child]) => child);
    const reached = workers.filter((child) => notify(child, name, place, [owner]));
    if (reached.length > 0) return;
    const owners = [...(this.#orphaned.get(key) ?? []), owner].slice(-mostOwners);
    // The last one in the order of the map.
    this.#orphaned.delete(key);
    this.#orphaned.set(key, owners);
    const [oldest] = this.#orphaned.keys();
    if (oldest !== undefined && this.#orphaned.size > mostOrphaned) this.#orphaned.delete(oldest);
  }

  #emitOrphaned(child: Child, name: string, place: string): void {
    const owners = this.#orphaned.get(keyOf(name, place));
    if (owners && notify(child, name, place, owners)) this.#orphaned.delete(keyOf(name, place));
  }
}

function notify(child: Child, name: string, place: string, owners: string[]): boolean {
  return child.send({ cmd: marker, type: 'owners-gone', name, place, owners });
}

function keyOf(name: string, place: string): string {
  return `${name} ${place}`;
}

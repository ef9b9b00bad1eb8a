// Which processes have opened which queues (`nsv/queue`). The daemon reads no store.
import type { OpenedQueueView } from '../../ipc/app/queue-views.ts';
import type { InAppUp, QueuePart } from '../../ipc/worker-messages.ts';
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

export class Queues {
  readonly #members = new Map<Child, Map<string, Member>>();
  /** The channel of a process may outlast it. */
  readonly #ended = new WeakSet<Child>();

  hear(child: Child, { name, place, owner, part }: QueueNews): void {
    if (this.#ended.has(child)) return;
    const key = keyOf(name, place);
    const own = this.#members.get(child) ?? new Map<string, Member>();
    if (part === 'closed') own.delete(key);
    else if (own.has(key) || own.size < mostQueues) own.set(key, { name, place, owner, part });
    if (own.size > 0) this.#members.set(child, own);
    else this.#members.delete(child);
  }

  gone(child: Child): void {
    this.#ended.add(child);
    this.#members.delete(child);
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
}

function keyOf(name: string, place: string): string {
  return `${name} ${place}`;
}

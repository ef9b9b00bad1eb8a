// Tells the daemon of nsv which queues this process has, and does what it asks. Without nsv nothing of it happens.
import type { Store } from '../../queue/index.cjs';
import { bridge } from '../app/bridge.ts';
import { shared } from '../app/shared.ts';
import type { Bridge } from '../ipc/app/bridge.ts';
import type { QueueQuestion } from '../ipc/questions.ts';
import type { QueuePart } from '../ipc/worker-messages.ts';
import { owner } from './owner.ts';

/** A queue of this process. */
export interface QueueMember {
  readonly name: string;
  /** Where it is kept. */
  readonly place: string;
  readonly works: boolean;
  /** Takes back what a process had that has died. */
  takeFrom(owner: string): Promise<void>;
  reply(about: QueueQuestion): Promise<object>;
}

export interface Membership {
  /** It works on its tasks from now on. */
  changed(): void;
  leave(): void;
}

/** Characters of a place. */
const longestPlace = 1_000;

const alone: Membership = { changed() {}, leave() {} };

export function join(member: QueueMember): Membership {
  const daemon = bridge();
  if (!daemon) return alone;
  const members = shared('queues', () => begin(daemon));
  const report = () => reportPart(daemon, members, member);
  members.add(member);
  report();
  return {
    changed: report,
    leave() {
      members.delete(member);
      report();
    },
  };
}

/** The end of a long path says more than its beginning. */
export function storePlaceOf(store: Pick<Store, 'place'>): string {
  return String(store.place?.() ?? '').slice(-longestPlace);
}

function begin(daemon: Bridge): Set<QueueMember> {
  const members = new Set<QueueMember>();
  daemon.offerQueues(async (about) => {
    const [member] = alike(members, about);
    if (member) return member.reply(about);
    throw new Error(`it has closed the queue "${about.name}"`);
  });
  daemon.onMessage('owners-gone', ({ owners, ...which }) => {
    // It does not reject.
    for (const member of alike(members, which)) for (const each of owners) void member.takeFrom(each);
  });
  daemon.onReconnected(() => {
    for (const member of members) reportPart(daemon, members, member);
  });
  return members;
}

type Which = Pick<QueueMember, 'name' | 'place'>;

function alike(members: ReadonlySet<QueueMember>, { name, place }: Which): QueueMember[] {
  return [...members].filter((member) => member.name === name && member.place === place);
}

function reportPart(daemon: Bridge, members: ReadonlySet<QueueMember>, { name, place }: Which): void {
  const own = alike(members, { name, place });
  const opened: QueuePart = own.some(({ works }) => works) ? 'works' : 'open';
  daemon.send({ type: 'queue', name, place, owner, part: own.length > 0 ? opened : 'closed' });
}

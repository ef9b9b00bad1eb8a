// Notices when a process listens elsewhere than the one before it, and no setting says why: its program looks for a free port. The
// socket that nsv holds for such an app is what its next process finds taken.
import type { AppSpec } from '../../../config/app-spec.ts';
import type { Child } from '../../launch/launcher.ts';
import { isOnline } from '../../process/lifecycle/classes.ts';
import { explainsMove } from '../../slot/moved-port.ts';
import type { Places } from '../../sockets/listening.ts';
import type { GroupContext } from '../group-context.ts';

interface Seen extends Places {
  spec: AppSpec;
  /** How often the processes of the slot have moved. */
  moves: number;
}

type Owner = Pick<GroupContext, 'name' | 'all' | 'sockets' | 'emit'>;

/** What the processes are compared with, until they have moved. */
const comparedWith = new WeakMap<Child, Seen | undefined>();

export class Moves {
  readonly #group: Owner;
  /** What the last process that was ready had in each slot. */
  readonly #last = new Map<number, Seen>();
  #areUsual = false;

  constructor(group: Owner) {
    this.#group = group;
  }

  /** Whether the app looks for a free port at each start. A version with another port moves only once. */
  get areUsual(): boolean {
    return this.#areUsual;
  }

  /** Call it when a process of the app has changed. */
  look(): void {
    for (const process of this.#group.all) {
      const { id, slot, child } = process;
      if (!isOnline(process) || !child) continue;
      const { spec } = child.plan;
      const last = this.#last.get(slot);
      const now = { spec, moves: last?.moves ?? 0, ...this.#group.sockets.listening.placesOf(child) };
      this.#last.set(slot, now);
      if (!comparedWith.has(child)) comparedWith.set(child, last);
      const before = comparedWith.get(child);
      const move = before && moveOf(before, now);
      if (!before || !move || explainsMove(before.spec, spec, move.from)) continue;
      comparedWith.set(child, undefined);
      now.moves += 1;
      this.#areUsual ||= move.isAnywhere || now.moves > 1;
      const detail = `now listens on ${move.to.join(', ')}, before on ${move.from.join(', ')}`;
      this.#group.emit({ type: 'moved', pid: child.pid, detail, app: this.#group.name, id, slot });
    }
  }
}

/**
 * Undefined if it may still listen where the other did. A port that the system has chosen is another one each time. `isAnywhere`:
 * whether it let the system choose the port.
 */
export function moveOf(before: Places, now: Places) {
  const from = before.named.filter((place) => !now.named.includes(place));
  const chosen = now.chosen.slice(before.chosen.length);
  const to = [...now.named.filter((place) => !before.named.includes(place)), ...chosen];
  return from.length > 0 && to.length > 0 ? { from, to, isAnywhere: chosen.length > 0 } : undefined;
}

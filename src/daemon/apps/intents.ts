// What the commands on an app are about to bring about: if the daemon dies meanwhile, the next one finishes it. Commands run
// one after another, but one may be made of others, or begin before that is done which a dead daemon has left.
import type { Intent, Successor } from '../process/record.ts';

export class Intents {
  readonly #changed: () => void;
  readonly #all = new Set<Intent>();
  #removal: Intent | undefined;
  #inherited: Intent | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Null for none. A stop or a scale takes the place of every start; starts add up. */
  get sum(): Intent | null {
    if (this.#removal) return this.#removal;
    const all = [...this.#all];
    const slots = all.flatMap((intent) => (intent.kind === 'start' ? intent.slots : []));
    const start: Intent | null = slots.length > 0 ? { kind: 'start', slots: [...new Set(slots)] } : null;
    return all.findLast(({ kind }) => kind !== 'start') ?? start;
  }

  /** Whether nothing is to be started any more. */
  get isRemoval(): boolean {
    return this.#removal !== undefined;
  }

  /** Returns what ends it. */
  add(intent: Intent): () => void {
    this.#all.add(intent);
    this.#changed();
    return () => this.#end(intent);
  }

  /** There is no way back from this one. `successor`: the app that is to take its place. */
  remove(successor?: Successor): void {
    this.#removal = { kind: 'remove', ...(successor && { successor }) };
    this.#changed();
  }

  /** What the daemon before this one has left to be finished. */
  inherit(intent: Intent | null): void {
    if (intent?.kind === 'remove') this.remove(intent.successor);
    else if (intent) this.add(intent);
    this.#inherited = intent ?? undefined;
  }

  /** It is finished, or cannot be. */
  settle(): void {
    if (this.#inherited) this.#end(this.#inherited);
  }

  #end(intent: Intent): void {
    this.#all.delete(intent);
    this.#changed();
  }
}

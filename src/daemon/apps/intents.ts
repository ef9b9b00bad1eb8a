// What the commands on an app are about to do: if the daemon dies meanwhile, the next one finishes it. Commands run one
// after another, but one may consist of others, or begin before the work that a dead daemon left is done.
import type { Intent, Successor } from '../process/record.ts';

export class Intents {
  readonly #changed: () => void;
  readonly #all = new Set<Intent>();
  #removal: Intent | undefined;
  #inherited: Intent | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** All intents combined; null for none. Starts add up; a stop replaces them, and so does a scale, which starts what is missing. */
  get sum(): Intent | null {
    if (this.#removal) return this.#removal;
    const all = [...this.#all];
    const slots = all.flatMap((intent) => (intent.kind === 'start' ? intent.slots : []));
    const start: Intent | null = slots.length > 0 ? { kind: 'start', slots: [...new Set(slots)] } : null;
    return all.findLast(({ kind }) => kind !== 'start') ?? start;
  }

  /** Whether the app is being removed, so that nothing more may start. */
  get isRemoval(): boolean {
    return this.#removal !== undefined;
  }

  /** Returns a function that ends the intent. */
  add(intent: Intent): () => void {
    this.#all.add(intent);
    this.#changed();
    return () => this.#end(intent);
  }

  /** Cannot be revoked. `successor`: the app that takes the place of this one. */
  remove(successor?: Successor): void {
    this.#removal = { kind: 'remove', ...(successor && { successor }) };
    this.#changed();
  }

  /** Takes over the unfinished intent of the previous daemon. */
  inherit(intent: Intent | null): void {
    if (intent?.kind === 'remove') this.remove(intent.successor);
    else if (intent) this.add(intent);
    this.#inherited = intent ?? undefined;
  }

  /** Ends the inherited intent: it is finished, or cannot be. */
  settle(): void {
    if (this.#inherited) this.#end(this.#inherited);
  }

  #end(intent: Intent): void {
    this.#all.delete(intent);
    this.#changed();
  }
}

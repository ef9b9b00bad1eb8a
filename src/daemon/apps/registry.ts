// All groups, the ids of their processes, and which of them a target selects.
import { isPattern } from '../../ipc/patterns.ts';
import { failure } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';
import type { Group } from './group.ts';
import type { Selection } from './operations.ts';

export class Registry {
  /** In the order in which they were added. */
  readonly #groups = new Set<Group>();
  readonly #byName = new Map<string, Group>();
  readonly #changed: () => void;
  #lastId = -1;

  /** `changed` is called when an app was added or removed. */
  constructor(changed: () => void = () => {}) {
    this.#changed = changed;
  }

  get groups(): Group[] {
    return [...this.#groups];
  }

  find(name: string): Group | undefined {
    return this.#byName.get(name);
  }

  /** The instance that is this process, as a message names it. */
  instanceOf(pid: number): string | undefined {
    for (const { name, all } of this.#groups) {
      const process = all.find(({ child }) => child?.pid === pid);
      if (process) return `app "${name}" (instance ${process.slot})`;
    }
    return undefined;
  }

  add(group: Group): void {
    this.#groups.add(group);
    this.#byName.set(group.name, group);
    this.#changed();
  }

  /** Call it when an app has a new name. `before`: the one that it had. */
  renamed(group: Group, before: string): void {
    if (!this.#groups.has(group)) return;
    this.#byName.delete(before);
    this.#byName.set(group.name, group);
  }

  /** Forgets a group that is at rest. */
  remove(group: Group): void {
    this.#groups.delete(group);
    if (this.find(group.name) === group) this.#byName.delete(group.name);
    if (this.#groups.size === 0) this.#lastId = -1;
    this.#changed();
  }

  /** Ids count up, so that an id is not soon reused; they start again at 0 when no app is left. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** The highest id given so far; `-1` for none. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Ids up to this one will not be given. */
  skipIds(upTo: number): void {
    this.#lastId = Math.max(this.#lastId, upTo);
  }

  /** The processes that the targets select, in list order, no duplicates. No target selects all. Throws NO_SUCH_APP. */
  select(words: string[]): Selection[] {
    if (words.length === 0) return this.groups.map(everything);
    const found = new Map<Group, Set<number>>();
    for (const { group, slots } of words.flatMap((word) => this.#selectWord(word))) {
      found.set(group, new Set([...(found.get(group) ?? []), ...slots]));
    }
    return this.groups
      .filter((group) => found.has(group))
      .map((group) => ({ group, slots: [...(found.get(group) ?? [])] }));
  }

  /** A name takes precedence over a namespace of the same name. */
  #selectWord(word: string): Selection[] {
    const { groups } = this;
    if (word === 'all') return groups.map(everything);
    if (/^\d+$/.test(word)) return this.#orFail(word, this.#selectId(Number(word)));
    if (isPattern(word)) throw failure('BAD_USAGE', { detail: patternDetail(word) });
    const named = this.find(word);
    if (named) return [everything(named)];
    return this.#orFail(word, groups.filter(({ spec }) => spec.namespace === word).map(everything));
  }

  #orFail(target: string, selected: Selection[]): Selection[] {
    if (selected.length > 0) return selected;
    const names = this.groups.flatMap(({ spec }) => [spec.name, spec.namespace]);
    throw failure('NO_SUCH_APP', { target, guess: nearest(target, names) });
  }

  #selectId(wanted: number): Selection[] {
    for (const group of this.groups) {
      const process = group.processes.find(({ id }) => id === wanted);
      if (process) return [{ group, slots: [process.slot] }];
    }
    return [];
  }
}

/** All processes of a group. */
export function everything(group: Group): Selection {
  return { group, slots: group.processes.map(({ slot }) => slot) };
}

function patternDetail(word: string): string {
  return `"${word}" is a regular expression, which a client evaluates itself: send the names of apps`;
}

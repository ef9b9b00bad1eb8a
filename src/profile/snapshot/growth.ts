// What has grown between two heap snapshots of a process.
import { retainersOf } from './retainers.ts';
import { type Amount, amountsOf, readSnapshot } from './snapshot.ts';

export interface Grown {
  /** A constructor, or a kind of value in parentheses. */
  name: string;
  before: Amount;
  after: Amount;
  /** What keeps the most of the added objects in memory, the first reference first; `count` objects each. */
  retainers: { way: string; count: number }[];
}

const nothing: Amount = { count: 0, bytes: 0 };
const mostRetainers = 2;
/** The share of all added bytes, and of the added objects of a class, below which it says nothing: every process changes a little. */
const leastShare = 0.01;

/**
 * The classes with the most added bytes. What V8 counts together, such as strings, follows: it is usually part of the objects
 * of a class. Throws a ProfileError, or the system's error; `during` hears which file is read.
 */
export function growthOf(first: string, second: string, most = 10, during: (file: string) => void = () => {}): Grown[] {
  const read = (file: string) => {
    during(file);
    return readSnapshot(file);
  };
  // One snapshot at a time is in memory. So the first one is read again, once it is known what to look for.
  const before = amountsOf(read(first));
  const later = read(second);
  const all = [...amountsOf(later)]
    .map(([name, after]) => ({ name, before: before.get(name) ?? nothing, after }))
    .filter((each) => each.after.count > each.before.count && added(each) > 0);
  const total = all.reduce((sum, each) => sum + added(each), 0);
  const grown = all
    .filter((each) => added(each) >= total * leastShare)
    .sort((a, b) => Number(isCollective(a)) - Number(isCollective(b)) || added(b) - added(a))
    .slice(0, most);
  const classes = new Set(grown.map(({ name }) => name));
  const laterWays = retainersOf(later, classes);
  const formerWays = retainersOf(read(first), classes);
  return grown.map((each) => ({
    ...each,
    retainers: addedWays(formerWays.get(each.name)!, laterWays.get(each.name)!, each.after.count - each.before.count),
  }));
}

function added({ before, after }: { before: Amount; after: Amount }): number {
  return after.bytes - before.bytes;
}

function isCollective({ name }: Pick<Grown, 'name'>): boolean {
  return name.startsWith('(');
}

function addedWays(
  former: ReadonlyMap<string, number>,
  later: ReadonlyMap<string, number>,
  objects: number,
): Grown['retainers'] {
  return [...later]
    .map(([way, count]) => ({ way, count: count - (former.get(way) ?? 0) }))
    .filter(({ count }) => count > objects * leastShare)
    .sort((a, b) => b.count - a.count)
    .slice(0, mostRetainers);
}

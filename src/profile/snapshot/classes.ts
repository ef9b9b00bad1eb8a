// How many objects of which class there are, and what they take.
import type { Snapshot } from './snapshot.ts';

export interface Amount {
  count: number;
  /** Of the objects themselves, without what they refer to. */
  bytes: number;
}

/** Node types that have one class for all. What V8 needs for itself has none. */
const collective: Readonly<Record<string, string | null>> = {
  array: '(array)',
  string: '(string)',
  'concatenated string': '(string)',
  'sliced string': '(string)',
  closure: '(function)',
  regexp: '(regular expression)',
  number: '(number)',
  symbol: '(symbol)',
  bigint: '(bigint)',
  hidden: null,
  code: null,
  synthetic: null,
  'object shape': null,
};

/** Of the node with this index; null for a part of V8. */
export function classOf(snapshot: Snapshot, index: number): string | null {
  const { nodes, strings, layout } = snapshot;
  const at = index * layout.node.size;
  const type = layout.nodeTypes[nodes[at + layout.node.type]!] ?? '';
  const shared = collective[type];
  return shared === undefined ? strings[nodes[at + layout.node.name]!]! : shared;
}

export function amountsOf(snapshot: Snapshot): Map<string, Amount> {
  const { nodes, layout, count } = snapshot;
  const amounts = new Map<string, Amount>();
  for (let index = 0; index < count; index += 1) {
    const name = classOf(snapshot, index);
    if (name === null) continue;
    const amount = amounts.get(name) ?? { count: 0, bytes: 0 };
    amounts.set(name, amount);
    amount.count += 1;
    amount.bytes += nodes[index * layout.node.size + layout.node.bytes]!;
  }
  return amounts;
}

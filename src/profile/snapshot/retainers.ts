// What keeps objects in memory: the shortest way from a root to each.
import { classOf, type HeapSnapshot } from './snapshot.ts';

/** References of one way that are shown. */
const longestWay = 7;
/** Objects per class that are looked at. More give no other picture. */
const mostLookedAt = 20_000;

const none = 0xffffffff;

/** For each node, the edge that the shortest way to it ends with, and the node which that edge belongs to. */
interface Ways {
  edge: Uint32Array;
  from: Uint32Array;
}

/** For each of the classes, how many of its objects are kept in which way. Sampled if there are many, and scaled up. */
export function retainersOf(snapshot: HeapSnapshot, classes: ReadonlySet<string>): Map<string, Map<string, number>> {
  const ways = waysOf(snapshot);
  const members = membersOf(snapshot, classes);
  const found = new Map<string, Map<string, number>>();
  for (const [name, indices] of members) {
    const step = Math.max(1, Math.floor(indices.length / mostLookedAt));
    const counts = new Map<string, number>();
    for (let at = 0; at < indices.length; at += step) {
      const way = wayOf(snapshot, ways, indices[at]!);
      if (way !== '') counts.set(way, (counts.get(way) ?? 0) + step);
    }
    found.set(name, counts);
  }
  return found;
}

function membersOf(snapshot: HeapSnapshot, classes: ReadonlySet<string>): Map<string, number[]> {
  const members = new Map([...classes].map((name) => [name, [] as number[]]));
  for (let index = 0; index < snapshot.count; index += 1) {
    const name = classOf(snapshot, index);
    if (name !== null) members.get(name)?.push(index);
  }
  return members;
}

/** First from the global objects, as a user sees them; then from what only V8 refers to. */
function waysOf(snapshot: HeapSnapshot): Ways {
  const { edges, layout, count } = snapshot;
  const firstEdges = firstEdgesOf(snapshot);
  const edge = new Uint32Array(count).fill(none);
  const from = new Uint32Array(count).fill(none);
  const queue = new Uint32Array(count);
  let end = 0;
  const weak = layout.edgeTypes.indexOf('weak');
  const follow = (node: number, isWanted: (target: number) => boolean) => {
    for (let at = firstEdges[node]!; at < firstEdges[node + 1]!; at += layout.edge.size) {
      const target = edges[at + layout.edge.target]! / layout.node.size;
      if (target === 0 || from[target] !== none || edges[at + layout.edge.type] === weak || !isWanted(target)) continue;
      edge[target] = at;
      from[target] = node;
      queue[end] = target;
      end += 1;
    }
  };
  if (count === 0) return { edge, from };
  const isUsers = (target: number) => typeOf(snapshot, target) !== 'synthetic';
  let at = 0;
  for (const isWanted of [isUsers, () => true]) {
    follow(0, isWanted);
    for (; at < end; at += 1) follow(queue[at]!, () => true);
  }
  return { edge, from };
}

function firstEdgesOf({ nodes, layout, count }: HeapSnapshot): Uint32Array {
  const first = new Uint32Array(count + 1);
  for (let index = 0; index < count; index += 1)
    first[index + 1] = first[index]! + nodes[index * layout.node.size + layout.node.edges]! * layout.edge.size;
  return first;
}

/** `[] of Array ← .sessions of Object ← …`; empty if nothing keeps it. */
function wayOf(snapshot: HeapSnapshot, { edge, from }: Ways, index: number): string {
  const steps: string[] = [];
  let at = index;
  while (from[at] !== none && from[at] !== 0) {
    if (steps.length === longestWay) return [...steps, '…'].join(' ← ');
    const step = `${referenceOf(snapshot, edge[at]!)} of ${labelOf(snapshot, from[at]!)}`;
    // A list of links, for example, is as long as it happens to be.
    if (steps.at(-1) !== step) steps.push(step);
    at = from[at]!;
  }
  return steps.join(' ← ');
}

function referenceOf({ edges, strings, layout }: HeapSnapshot, at: number): string {
  const type = layout.edgeTypes[edges[at + layout.edge.type]!];
  // An entry of a list or a hash table: all of them are kept in the same way.
  if (type === 'element' || type === 'hidden') return '[]';
  const name = strings[edges[at + layout.edge.name]!] ?? '';
  if (type === 'context') return `variable ${name}`;
  if (type === 'internal') return /^\d+$/.test(name) ? '[]' : `(${name})`;
  return `.${name}`;
}

function labelOf(snapshot: HeapSnapshot, index: number): string {
  const { nodes, strings, layout } = snapshot;
  const name = strings[nodes[index * layout.node.size + layout.node.name]!]!;
  const type = typeOf(snapshot, index);
  if (type === 'closure') return name === '' ? 'a function' : `function ${name}`;
  if (name === 'system / Context') return 'a closure';
  return type === 'array' ? '(array)' : name;
}

function typeOf({ nodes, layout }: HeapSnapshot, index: number): string {
  return layout.nodeTypes[nodes[index * layout.node.size + layout.node.type]!] ?? '';
}

// A heap snapshot of V8 in memory, and how many objects of which class it has. The format: https://v8.dev/docs/heap-snapshots, and
// src/profiler/heap-snapshot-generator.cc of V8.
import { closeSync, fstatSync, openSync } from 'node:fs';
import { ProfileError, type ProfileFields, profileFields, profileList } from '../call-tree.ts';
import { Sections } from './sections.ts';

/** Bytes. It needs about as much memory. */
const largestFile = 2 * 1024 ** 3;
/** Characters. The text of a string in the heap can be of any length; only its beginning is of use. */
const longestName = 200;
const longestHead = 1024 * 1024;
/** More than the key of a list takes, with white space. */
const longestMark = 100;

/** `nodes` and `edges` have this many numbers each, at these places. */
interface Layout {
  node: { size: number; type: number; name: number; bytes: number; edges: number };
  edge: { size: number; type: number; name: number; target: number };
  nodeTypes: readonly string[];
  edgeTypes: readonly string[];
}

export interface HeapSnapshot {
  layout: Layout;
  nodes: Uint32Array;
  edges: Uint32Array;
  strings: string[];
  /** Of nodes. */
  count: number;
}

/** Throws a ProfileError, or the system's error. */
export function readSnapshot(file: string): HeapSnapshot {
  const fd = openSync(file, 'r');
  try {
    const { size } = fstatSync(fd);
    if (size > largestFile) throw new ProfileError(`it has ${size} bytes, more than ${largestFile}`);
    return parse(new Sections(fd), size);
  } finally {
    closeSync(fd);
  }
}

function parse(sections: Sections, size: number): HeapSnapshot {
  const { layout, nodeCount, edgeCount } = headOf(sections.begin('nodes', longestHead), size);
  const nodes = new Uint32Array(nodeCount * layout.node.size);
  sections.numbers(nodes, 'its nodes');
  sections.begin('edges', longestMark);
  const edges = new Uint32Array(edgeCount * layout.edge.size);
  sections.numbers(edges, 'its edges');
  sections.begin('strings', longestMark);
  return checked({ layout, nodes, edges, strings: sections.strings(longestName), count: nodeCount });
}

interface Head {
  layout: Layout;
  nodeCount: number;
  edgeCount: number;
}

/** `text`: all before the nodes. */
function headOf(text: string, size: number): Head {
  const { snapshot } = profileFields(parsed(`${text.replace(/,\s*$/, '')}}`), 'it');
  const { meta, node_count, edge_count } = profileFields(snapshot, 'its head');
  const { node_fields, node_types, edge_fields, edge_types } = profileFields(meta, '"meta"');
  const ofNodes = placesOf(node_fields, ['type', 'name', 'self_size', 'edge_count']);
  const ofEdges = placesOf(edge_fields, ['type', 'name_or_index', 'to_node']);
  const [type, name, bytes, edges] = ofNodes.places as [number, number, number, number];
  const [edgeType, edgeName, target] = ofEdges.places as [number, number, number];
  const layout: Layout = {
    node: { size: ofNodes.size, type, name, bytes, edges },
    edge: { size: ofEdges.size, type: edgeType, name: edgeName, target },
    nodeTypes: typesOf(node_types, type),
    edgeTypes: typesOf(edge_types, edgeType),
  };
  // Each number takes two bytes of the file, with its comma.
  const nodeCount = countOf(node_count, size / (2 * layout.node.size));
  return { layout, nodeCount, edgeCount: countOf(edge_count, size / (2 * layout.edge.size)) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProfileError('it is not a heap snapshot');
  }
}

function placesOf(value: unknown, names: string[]): { size: number; places: number[] } {
  const fields = profileList(value, 'a list of fields', 100);
  const places = names.map((name) => fields.indexOf(name));
  if (places.includes(-1)) throw new ProfileError('it lacks a field of nodes or edges');
  return { size: fields.length, places };
}

function typesOf(types: unknown, place: number): string[] {
  return profileList(profileList(types, 'a list of types', 100)[place], 'a list of types', 100).map(String);
}

function countOf(value: ProfileFields[string], most: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most + 1) return value as number;
  throw new ProfileError('it is shorter than its head announces');
}

/** So that whoever follows an edge or a name need not ask. */
function checked(snapshot: HeapSnapshot): HeapSnapshot {
  const { nodes, edges, strings, layout, count } = snapshot;
  let edgeCount = 0;
  for (let at = 0; at < nodes.length; at += layout.node.size) {
    edgeCount += nodes[at + layout.node.edges]!;
    if (nodes[at + layout.node.name]! >= strings.length) throw new ProfileError('a node has no name');
  }
  if (edgeCount * layout.edge.size !== edges.length) throw new ProfileError('its nodes and edges do not fit together');
  for (let at = layout.edge.target; at < edges.length; at += layout.edge.size) {
    if (edges[at]! % layout.node.size !== 0 || edges[at]! / layout.node.size >= count)
      throw new ProfileError('an edge leads nowhere');
  }
  return snapshot;
}

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
export function classOf(snapshot: HeapSnapshot, index: number): string | null {
  const { nodes, strings, layout } = snapshot;
  const at = index * layout.node.size;
  const type = layout.nodeTypes[nodes[at + layout.node.type]!] ?? '';
  const shared = collective[type];
  return shared === undefined ? strings[nodes[at + layout.node.name]!]! : shared;
}

export function amountsOf(snapshot: HeapSnapshot): Map<string, Amount> {
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

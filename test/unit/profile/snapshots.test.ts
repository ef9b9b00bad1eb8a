// Heap snapshots, written by hand: what has grown, what keeps it, and what is no snapshot.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { growthOf } from '../../../src/profile/snapshot/growth.ts';
import { readSnapshot } from '../../../src/profile/snapshot/snapshot.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

function written(name: string, content: unknown): string {
  const file = join(directory, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const nodeTypes = ['hidden', 'array', 'string', 'object', 'closure', 'synthetic'];
const edgeTypes = ['context', 'element', 'property', 'internal', 'weak'];
type Node = [type: string, name: string, bytes: number, edges: [type: string, name: string | number, target: number][]];

/** As V8 writes it. */
function snapshot(all: Node[]) {
  const strings: string[] = [];
  const text = (word: string) => (strings.includes(word) ? strings.indexOf(word) : strings.push(word) - 1);
  const nodes = all.flatMap(([type, name, bytes, edges], at) => [
    ...[nodeTypes.indexOf(type), text(name), at * 2 + 1, bytes, edges.length],
  ]);
  const edges = all.flatMap(([, , , own]) =>
    own.flatMap(([type, name, target]) => [
      ...[edgeTypes.indexOf(type), typeof name === 'number' ? name : text(name), target * 5],
    ]),
  );
  const meta = {
    node_fields: ['type', 'name', 'id', 'self_size', 'edge_count'],
    node_types: [nodeTypes, 'string', 'number', 'number', 'number'],
    edge_fields: ['type', 'name_or_index', 'to_node'],
    edge_types: [edgeTypes, 'string_or_number', 'node'],
  };
  const head = { meta, node_count: all.length, edge_count: edges.length / 3 };
  return { snapshot: head, nodes, edges, trace_tree: [[{}]], strings };
}

/** The global object holds a list of sessions; each has a text. */
function app(sessions: number) {
  const firstSession = 4;
  return snapshot([
    ['synthetic', '', 0, [...list(1), ['internal', 'roots', 2]]],
    ['object', 'global', 10, [['property', 'sessions', 3]]],
    ['synthetic', '(GC roots)', 0, Array.from({ length: sessions }, (_, at) => ['weak', 'x', firstSession + at])],
    ['object', 'Array', 20, Array.from({ length: sessions }, (_, at) => ['element', at, firstSession + at])],
    ...Array.from(
      { length: sessions },
      (): Node => ['object', 'Session', 100, [['property', 'text', firstSession + sessions]]],
    ),
    ['string', 'a "text" \\ of ünïcode', sessions * 1_000, []],
    ['hidden', 'system / Map', sessions * 1_000_000, []],
  ]);
}

function list(target: number): Node[3] {
  return [['element', 1, target]];
}

/** Objects of a class, with a list in each, and some of another class. */
function mixed(leaked: number, others: number) {
  const firstLeaked = 3 + others;
  return snapshot([
    ['synthetic', '', 0, list(1)],
    ['object', 'global', 10, [['property', 'all', 2]]],
    [
      'object',
      'Map',
      20,
      Array.from({ length: others + leaked }, (_, at) => [
        'element',
        at,
        at < others ? 3 + at : 3 + others + (at - others) * 2,
      ]),
    ],
    ...Array.from({ length: others }, (): Node => ['object', 'Other', 10, []]),
    ...Array.from({ length: leaked }, (_, at): Node[] => [
      ['object', 'Leaked', 100, [['property', 'list', firstLeaked + at * 2 + 1]]],
      ['array', '', 500, []],
    ]).flat(),
  ]);
}

describe('the growth between two heap snapshots', () => {
  it('lists classes before their parts, and leaves out small growth', () => {
    const grown = growthOf(written('a', mixed(1, 1)), written('b', mixed(101, 2)));
    expect(grown.map(({ name }) => name)).toEqual(['Leaked', '(array)']);
  });

  it('names the class that grew, with its retainers', () => {
    const grown = growthOf(written('a', app(2)), written('b', app(7)));
    expect(grown).toEqual([
      {
        name: 'Session',
        before: { count: 2, bytes: 200 },
        after: { count: 7, bytes: 700 },
        retainers: [{ way: '[] of Array ← .sessions of global', count: 5 }],
      },
    ]);
  });

  it('is empty if they are the same or the heap has shrunk', () => {
    const file = written('a', app(7));
    expect(growthOf(file, file)).toEqual([]);
    expect(growthOf(file, written('b', app(2)))).toEqual([]);
  });

  it('starts at zero for a new class', () => {
    const [session] = growthOf(written('a', app(0)), written('b', app(1)));
    expect(session).toMatchObject({ name: 'Session', before: { count: 0, bytes: 0 } });
  });
});

describe('a heap snapshot', () => {
  it('has its strings, but only the beginning of long ones', () => {
    const long = { ...app(1), strings: [...app(1).strings, `${'é"\\\n'.repeat(300)}`] };
    const { strings } = readSnapshot(written('a', long));
    expect(strings).toContain('a "text" \\ of ünïcode');
    expect(strings.at(-1)).toBe('é"\\\n'.repeat(50));
  });

  it('may have white space and unknown parts', () => {
    const { strings, ...rest } = app(1);
    const { count } = readSnapshot(
      written('a', JSON.stringify({ ...rest, other: ['}', { a: '"' }], strings }, null, 2)),
    );
    expect(count).toBe(7);
  });

  it('may be longer than the pieces in which it is read, which end anywhere', () => {
    const large = mixed(40_000, 1);
    const { nodes, edges, strings } = readSnapshot(written('a', large));
    expect([[...nodes], [...edges], strings]).toEqual([large.nodes, large.edges, large.strings]);
  });

  const good = app(1);
  const head = good.snapshot;
  it.each([
    ['is empty', '', 'it is not a heap snapshot'],
    ['is something else', '{}', 'it is not a heap snapshot'],
    ['ends too early', JSON.stringify(good).slice(0, -30), 'it ends too early'],
    ['has no head', { nodes: [] }, 'its head is not an object'],
    [
      'announces more than it can have',
      { ...good, snapshot: { ...head, node_count: 1e9 } },
      'it is shorter than its head',
    ],
    [
      'has more nodes than announced',
      { ...good, nodes: [...good.nodes, 1] },
      'its nodes are not what its head announces',
    ],
    ['has fewer nodes than announced', { ...good, nodes: good.nodes.slice(1) }, 'its nodes are not what'],
    ['has text for a number', { ...good, edges: ['x'] }, 'it has something else in a list of numbers'],
    ['has an edge to nowhere', { ...good, edges: good.edges.map(() => 4) }, 'an edge leads nowhere'],
    ['has a node without a name', { ...good, strings: [] }, 'a node has no name'],
    [
      'lacks a field',
      { ...good, snapshot: { ...head, meta: { ...head.meta, node_fields: ['type'] } } },
      'it lacks a field',
    ],
  ])('is refused if it %s', (_, content, reason) => {
    expect(() => readSnapshot(written('bad', content))).toThrow(reason);
  });
});

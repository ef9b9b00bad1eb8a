import { describe, expect, it } from 'vitest';
import { hottestOf } from '../../../src/profile/hottest.ts';
import { parseCpuProfile, parseHeapProfile } from '../../../src/profile/parse.ts';

const callFrame = (functionName: string, url = 'file:///srv/app.js', lineNumber = 0) => ({
  ...{ functionName, url, lineNumber, columnNumber: 0, scriptId: '1' },
});
const root = callFrame('(root)', '', -1);

/** The root calls `outer` and idles; `outer` calls itself, and that call `inner`. */
const nodes = [
  { id: 1, callFrame: root, children: [2, 5] },
  { id: 2, callFrame: callFrame('outer'), children: [3] },
  { id: 3, callFrame: callFrame('outer'), children: [4] },
  { id: 4, callFrame: callFrame('inner', 'file:///srv/node_modules/a%20b/index.js', 6) },
  { id: 5, callFrame: callFrame('(idle)', '', -1) },
];
const cpu = {
  nodes,
  startTime: 1_000,
  endTime: 2_000,
  samples: [2, 3, 4, 5],
  timeDeltas: [100, 200, 100, 400],
};
const parsed = (changes: object = {}) => parseCpuProfile(JSON.stringify({ ...cpu, ...changes }));

describe('the hottest functions of a CPU profile', () => {
  const { busy, idle, functions } = hottestOf(parsed());

  it('have the time until the next sample, and a recursive call counts once', () => {
    expect(functions.map(({ name, self, total }) => [name, self, total])).toEqual([
      ['inner', 400, 400],
      ['outer', 300, 700],
    ]);
  });

  it('have their share of the time that was not idle', () => {
    expect([busy, idle]).toEqual([700, 200]);
    expect(functions[0]!.share).toBeCloseTo(4 / 7);
  });

  it('have a file, a line from 1 and an origin', () => {
    expect(functions.map(({ file, line, origin }) => [file, line, origin])).toEqual([
      ['/srv/node_modules/a b/index.js', 7, 'package'],
      ['/srv/app.js', 1, 'app'],
    ]);
  });

  it('are at most as many as requested', () => {
    expect(hottestOf(parsed(), 1).functions).toHaveLength(1);
  });

  it('distinguish Node and V8 from the app', () => {
    const frames = [callFrame('read', 'node:fs', 3), callFrame('(garbage collector)', '', -1), callFrame('')];
    const children = frames.map((frame, at) => ({ id: at + 2, callFrame: frame }));
    const tree = parsed({
      nodes: [{ id: 1, callFrame: root, children: [2, 3, 4] }, ...children],
      samples: [2, 3, 4],
      timeDeltas: [0, 300, 200],
    });
    expect(hottestOf(tree).functions.map(({ name, file, origin }) => [name, file, origin])).toEqual([
      ['(anonymous)', '/srv/app.js', 'app'],
      ['read', 'node:fs', 'node'],
      ['(garbage collector)', null, 'engine'],
    ]);
  });
});

describe('a CPU profile', () => {
  it('may have samples that the clock puts in the wrong order', () => {
    const tree = parsed({ timeDeltas: [100, -50, 100, 400] });
    expect(tree.nodes.every(({ self }) => self >= 0)).toBe(true);
  });

  it.each([
    ['is not JSON', 'x', 'it is not JSON'],
    ['is not an object', '[]', 'the profile is not an object'],
    ['has no nodes', '{}', '"nodes" is not a list'],
    ['has two nodes of one id', { nodes: [nodes[4], nodes[4]] }, 'two nodes have the same id'],
    ['has a cycle', { nodes: [{ id: 1, callFrame: root, children: [1] }] }, 'it has no root'],
    [
      'has a node with two callers',
      { nodes: [{ id: 1, callFrame: root, children: [2, 2] }] },
      'a node has two callers',
    ],
    ['calls a missing node', { nodes: [{ id: 1, callFrame: root, children: [2] }] }, 'one that does not exist'],
    ['has samples without times', { samples: [1] }, '"samples" and "timeDeltas" have different lengths'],
    ['has no end', { endTime: 'late' }, '"endTime" is not a number'],
    ['has a time that is text', { timeDeltas: [1, 2, 3, 'x'] }, '"timeDeltas" has an entry that is not a number'],
  ])('is refused if it %s', (_, given, reason) => {
    const text = typeof given === 'string' ? given : JSON.stringify({ ...cpu, ...given });
    expect(() => parseCpuProfile(text)).toThrow(reason);
  });
});

describe('a heap profile', () => {
  const head = {
    ...{ callFrame: root, selfSize: 0, id: 1 },
    children: [{ callFrame: callFrame('load'), selfSize: 2_048, id: 2, children: [] }],
  };

  it('has bytes by function', () => {
    const { unit, busy, functions } = hottestOf(parseHeapProfile(JSON.stringify({ head })));
    expect([unit, busy]).toEqual(['bytes', 2_048]);
    expect(functions).toMatchObject([{ name: 'load', self: 2_048, share: 1 }]);
  });

  it('may be deeper than a call stack', () => {
    const depth = 50_000;
    const open = `{"callFrame":${JSON.stringify(callFrame('deep'))},"selfSize":1,"children":[`;
    const text = `{"head":${open.repeat(depth)}${']}'.repeat(depth)}}`;
    expect(hottestOf(parseHeapProfile(text)).functions).toMatchObject([{ self: depth, total: depth }]);
  });

  it.each([
    ['has no head', {}, '"head" is not an object'],
    ['has a size below zero', { head: { ...head, selfSize: -1 } }, '"selfSize" is not a number from 0 up'],
    ['has children that are not a list', { head: { ...head, children: 7 } }, '"children" is not a list'],
  ])('is refused if it %s', (_, given, reason) => {
    expect(() => parseHeapProfile(JSON.stringify(given))).toThrow(reason);
  });
});

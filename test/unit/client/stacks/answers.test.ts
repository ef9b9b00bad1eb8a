// What processes answer about themselves. They run user code, so they may answer anything.
import { describe, expect, it } from 'vitest';
import { InvalidAnswer } from '../../../../src/client/insight.ts';
import { parseProfile, parseResources } from '../../../../src/client/stacks/answers.ts';

const callFrame = { functionName: 'work', url: '/app.js', lineNumber: 3, columnNumber: 1 };
const node = (id: number, ...children: unknown[]) => ({ id, callFrame, children });
/** As many calls, one below the other. */
const chain = (length: number) => Array.from({ length }, (_, at) => node(at, ...(at + 1 < length ? [at + 1] : [])));

describe('a profile', () => {
  it('is accepted as V8 writes it', () => {
    const nodes = [
      { ...node(1, 2), hitCount: 0 },
      { ...node(2), positionTicks: [{ line: 4, ticks: 2 }] },
    ];
    expect(parseProfile({ nodes, samples: [2, 2], timeDeltas: [1, 1], startTime: 0, endTime: 2 })).toEqual({
      nodes: [{ ...node(1, 2), positionTicks: [] }, nodes[1]],
      samples: [2, 2],
    });
    expect(parseProfile({ nodes: chain(256) }).samples).toEqual([]);
  });

  it.each([
    ['no object', null],
    ['a text', 'hello'],
    ['no nodes', {}],
    ['nodes that call each other', { nodes: [node(1, 2), node(2, 1)] }],
    ['nodes that call each other, besides others', { nodes: [node(3), node(1, 2), node(2, 1)] }],
    ['a node with two callers', { nodes: [node(1, 2, 3), node(2, 4), node(3, 4), node(4)] }],
    ['two nodes with the same number', { nodes: [node(1), node(1)] }],
    ['a call of itself', { nodes: [node(1, 1)] }],
    ['a stack without an end', { nodes: chain(2_000) }],
    ['a name that is no text', { nodes: [{ id: 1, callFrame: { ...callFrame, functionName: {} } }] }],
    ['samples that are no numbers', { nodes: [node(1)], samples: ['1'] }],
  ])('is refused: %s', (_what, answer) => {
    expect(() => parseProfile(answer)).toThrow(InvalidAnswer);
  });

  it('has long names cut to 1,000 characters', () => {
    const { nodes } = parseProfile({
      nodes: [{ id: 1, callFrame: { ...callFrame, functionName: 'x'.repeat(2_000) } }],
    });
    expect(nodes[0]!.callFrame.functionName).toHaveLength(1_000);
  });
});

describe('the resources', () => {
  it('are numbers by type', () => {
    expect(parseResources({ Timeout: 1, TCPSocketWrap: 2 })).toEqual({ Timeout: 1, TCPSocketWrap: 2 });
  });

  it.each(['text', null, { Timeout: '\x1b]0;title\x07' }, { Timeout: { toString: 1 } }])(
    'are rejected if they are anything else: %j',
    (answer) => {
      expect(() => parseResources(answer)).toThrow(InvalidAnswer);
    },
  );

  it('are limited to 100 types', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`type ${at}`, 1]));
    expect(Object.keys(parseResources(many))).toHaveLength(100);
  });
});

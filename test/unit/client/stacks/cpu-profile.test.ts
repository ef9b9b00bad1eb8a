// Where a process spent its time, in profiles as V8 writes them.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CpuProfile, hottestSamplesOf, type ProfileNode } from '../../../../src/client/stacks/cpu-profile.ts';
import { installed } from '../../../../src/shared/paths.ts';

const frame = (functionName: string, url = '/app.js', lineNumber = 0) => ({
  functionName,
  url,
  lineNumber,
  columnNumber: 0,
});
const insight = join(installed.bundles, 'worker', 'insight', 'main.js');

const nodes: ProfileNode[] = [
  { id: 1, callFrame: frame('(root)', '', -1), children: [2, 3, 4, 5, 8, 9] },
  { id: 2, callFrame: frame('(idle)', '', -1) },
  { id: 3, callFrame: frame('(program)', '', -1) },
  { id: 4, callFrame: frame('(garbage collector)', '', -1) },
  { id: 5, callFrame: frame('handle', '/app.js', 9), children: [6, 7] },
  {
    id: 6,
    callFrame: frame('parse', '/app.js', 20),
    positionTicks: [
      { line: 22, ticks: 1 },
      { line: 25, ticks: 3 },
    ],
  },
  { id: 7, callFrame: frame('render', '/app.js', 40) },
  { id: 8, callFrame: frame('processImmediate', 'node:internal/timers') },
  { id: 9, callFrame: frame('answer', insight), children: [10] },
  { id: 10, callFrame: frame('post', 'node:inspector') },
];

/** The number of samples in each node. */
const profile = (counts: Record<number, number>): CpuProfile => ({
  nodes,
  samples: Object.entries(counts).flatMap(([id, count]) => new Array<number>(count).fill(Number(id))),
});

describe('the hottest stack', () => {
  it('is where most of the time was spent, with the line of the innermost call', () => {
    const { busy, calls } = hottestSamplesOf(profile({ 2: 50, 6: 30, 7: 20 }));
    expect(busy).toBe(50);
    expect(calls.map(({ callFrame, line }) => [callFrame.functionName, line])).toEqual([
      ['parse', 25],
      ['handle', undefined],
    ]);
  });

  it('is one of the app if any of its code runs', () => {
    const names = (counts: Record<number, number>) =>
      hottestSamplesOf(profile(counts)).calls.map(({ callFrame }) => callFrame.functionName);
    expect(names({ 8: 70, 7: 1 })).toEqual(['render', 'handle']);
    expect(names({ 8: 70 })).toEqual(['processImmediate']);
  });

  it('is empty while only V8 and the inspection itself run', () => {
    expect(hottestSamplesOf(profile({ 2: 90, 3: 5, 10: 5 }))).toEqual({ busy: 0, calls: [], isOfApp: false });
  });

  it('is empty during garbage collection, which counts as busy', () => {
    expect(hottestSamplesOf(profile({ 2: 10, 4: 90 }))).toEqual({ busy: 90, calls: [], isOfApp: false });
  });

  it('is empty in an empty profile', () => {
    expect(hottestSamplesOf({ nodes: [] })).toEqual({ busy: 0, calls: [], isOfApp: false });
  });
});

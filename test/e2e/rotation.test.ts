// Log rotation, with real apps under a real daemon.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RotatedView } from '../../src/ipc/views.ts';
import { eventually, fixture, homeForEach } from '../helpers/nsv.ts';
import { linesThrough, rotations } from '../helpers/rotated.ts';

const nsv = homeForEach();
/** The numbers of each slot, in the order in which they are in the logs. */
function numbersBySlot(files: readonly string[]): Map<string, number[]> {
  const numbers = new Map<string, number[]>();
  for (const line of files.flatMap(linesThrough)) {
    const [slot = '', number] = line.split(' ');
    const known = numbers.get(slot) ?? [];
    known.push(Number(number));
    numbers.set(slot, known);
  }
  return numbers;
}

describe('a Node app that prints numbered lines without a pause', () => {
  it.each([
    ['into one file of all instances', ['--merge-logs']],
    ['into a file for each instance', []],
  ])('%s is rotated by size: every number is there exactly once', { timeout: 120_000 }, async (_, options) => {
    const limits = ['--log-max-size', '100k', '--log-keep', '1000', '--log-total', '0'];
    await nsv.ok('start', fixture('counts.cjs'), '-i', '4', ...options, ...limits);
    const files = [...new Set((await nsv.list()).map(({ outFile }) => outFile!))];
    await eventually(() => files.every((file) => rotations(file).length >= 3));
    await nsv.ok('stop', 'all');
    const numbers = numbersBySlot(files);
    expect([...numbers.keys()].sort()).toEqual(['0', '1', '2', '3']);
    for (const found of numbers.values()) expect(found).toEqual(found.map((_, index) => index));
  });
});

describe('nsv logs rotate', () => {
  it('takes what is there out into a file of its own, and says so', async () => {
    const app = nsv.script('prints.sh', '#!/bin/sh\necho one; echo two; exec sleep 60');
    await nsv.ok('start', app, '--name', 'web');
    const [view] = await nsv.list();
    await eventually(() => readFileSync(view!.outFile!, 'utf8') === 'one\ntwo\n');
    expect(await nsv.ok('logs', 'rotate', 'web')).toMatch(/web-0-out\.log \(8b\) to .*web-0-out\.log\.2\S+Z\n$/);
    expect(readFileSync(view!.outFile!, 'utf8')).toBe('');
    expect(linesThrough(view!.outFile!)).toEqual(['one', 'two']);
    expect(await nsv.ok('logs', 'rotate', 'web')).toBe('there was nothing to rotate\n');
    expect(JSON.parse(await nsv.ok('logs', 'rotate', '--json')) as RotatedView[]).toEqual([]);
  });

  it('leaves an app called "rotate" to be shown after dashes', async () => {
    const app = nsv.script('prints.sh', '#!/bin/sh\necho hello; exec sleep 60');
    await nsv.ok('start', app, '--name', 'rotate');
    const [view] = await nsv.list();
    await eventually(() => readFileSync(view!.outFile!, 'utf8') === 'hello\n');
    expect(await nsv.ok('logs', '--nostream', '--raw', 'rotate')).toBe('hello\n');
    expect((await nsv.run('logs', 'rotate', 'web')).code).toBe(3);
  });
});

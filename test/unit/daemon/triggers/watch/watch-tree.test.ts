import type { FSWatcher } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { WatchTree } from '../../../../../src/daemon/triggers/watch/watch-tree.ts';

let tree: WatchTree;
let closed: string[];
const add = (path: string) => tree.set(path, { close: () => void closed.push(path) } as unknown as FSWatcher, path);

beforeEach(() => {
  tree = new WatchTree();
  closed = [];
  for (const path of ['/a', '/a/b', '/a/b/c', '/a/bc', '/d']) add(path);
});

describe('the watch of a path', () => {
  it('is closed with all those below it', () => {
    tree.close('/a/b');
    expect(closed).toEqual(['/a/b', '/a/b/c']);
    expect(['/a', '/a/b', '/a/b/c', '/a/bc'].map((path) => tree.identityOf(path))).toEqual([
      '/a',
      undefined,
      undefined,
      '/a/bc',
    ]);
    tree.close('/a');
    expect(closed.slice(2)).toEqual(['/a', '/a/bc']);
    expect(tree.size).toBe(1);
  });

  it('is replaced by another one, and those below it stay', () => {
    add('/a');
    expect(closed).toEqual(['/a']);
    expect(tree.size).toBe(5);
    tree.close('/a');
    expect(closed.slice(1)).toEqual(['/a', '/a/b', '/a/bc', '/a/b/c']);
  });

  it('is closed once with all others', () => {
    tree.closeAll();
    tree.close('/a');
    expect(closed).toHaveLength(5);
    expect(tree.size).toBe(0);
  });
});

// A path is noticed to lead elsewhere, whichever part of the way has changed.
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decisiveEntries, watchPath } from '../../../src/daemon/in-app/watch-path.ts';

let root: string;
let close = () => {};
const at = (...names: string[]) => join(root, ...names);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'nsv-')));
  for (const release of ['one', 'two']) {
    mkdirSync(at('releases', release), { recursive: true });
    writeFileSync(at('releases', release, 'settings.json'), '{}');
  }
  symlinkSync('releases/one', at('current'));
});

afterEach(() => {
  close();
  rmSync(root, { recursive: true });
});

const changed = (path: string, change: () => void) =>
  new Promise<void>((resolve) => {
    close = watchPath(path, resolve);
    change();
  });

describe('a watched path', () => {
  it('depends on the entry of the file, and on each link on the way', () => {
    expect(Object.fromEntries(decisiveEntries(at('current', 'settings.json')))).toEqual({
      [root]: new Set(['current']),
      [at('releases', 'one')]: new Set(['settings.json']),
    });
    expect([...decisiveEntries(at('none', 'at', 'all')).keys()]).toEqual([root]);
    symlinkSync('loop', at('loop'));
    expect(decisiveEntries(at('loop')).size).toBe(1);
  });

  it('reports a write to the file', () =>
    changed(at('current', 'settings.json'), () => writeFileSync(at('releases', 'one', 'settings.json'), '{"a":1}')));

  it('reports a replaced file', () =>
    changed(at('current', 'settings.json'), () => {
      writeFileSync(at('new'), '{"a":1}');
      renameSync(at('new'), at('releases', 'one', 'settings.json'));
    }));

  it('reports a switched link on the way', () =>
    changed(at('current', 'settings.json'), () => {
      symlinkSync('releases/two', at('next'));
      renameSync(at('next'), at('current'));
    }));

  it('reports its creation', () => changed(at('later', 'settings.json'), () => mkdirSync(at('later'))));

  it('reports a move of its directory', () =>
    changed(at('releases', 'one', 'settings.json'), () => renameSync(at('releases', 'one'), at('old'))));
});

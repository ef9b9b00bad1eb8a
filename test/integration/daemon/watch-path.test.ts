// A path is noticed to lead elsewhere, whichever part of the way has changed.
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decisiveEntries, watchPath } from '../../../src/daemon/in-app/watch-path.ts';
import { directoryForEach } from '../../helpers/directory.ts';

const at = directoryForEach();
let close = () => {};

beforeEach(() => {
  for (const release of ['one', 'two']) {
    mkdirSync(at('releases', release), { recursive: true });
    writeFileSync(at('releases', release, 'settings.json'), '{}');
  }
  symlinkSync('releases/one', at('current'));
});

afterEach(() => close());

const changed = (path: string, change: () => void) =>
  new Promise<void>((resolve) => {
    close = watchPath(path, resolve);
    change();
  });

describe('a watched path', () => {
  it('depends on the entry of the file, and on each link on the way', () => {
    expect(Object.fromEntries(decisiveEntries(at('current', 'settings.json')))).toEqual({
      [at()]: new Set(['current']),
      [at('releases', 'one')]: new Set(['settings.json']),
    });
    expect([...decisiveEntries(at('none', 'at', 'all')).keys()]).toEqual([at()]);
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

// The file with the runtime settings of an app, whichever way another content comes to be there.
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SettingsFile } from '../../../src/daemon/in-app/settings-file.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const at = directoryForEach();
let clock: FakeClock;
let applied: object[];
let failed: (string | null)[];
let file: SettingsFile;

beforeEach(() => {
  clock = new FakeClock();
  [applied, failed] = [[], []];
  file = new SettingsFile({
    clock,
    isUserFile: () => false,
    apply: async (values) => void applied.push(values),
    report: (detail) => failed.push(detail),
  });
  for (const release of ['1', '2']) {
    mkdirSync(at('releases', release), { recursive: true });
    writeFileSync(at('releases', release, 'settings.json'), `{"limit":${release}}`);
  }
  symlinkSync('releases/1', at('current'));
});

afterEach(() => file.close());

/** What is applied once something has happened. */
async function after(happens: () => void, path: string): Promise<object | undefined> {
  file.follow(at(path));
  await clock.passes(5_000);
  expect(applied).toEqual([]);
  happens();
  await clock.passes(1_100);
  await eventually(() => applied.length > 0);
  return applied.at(-1);
}

const ways: [what: string, path: string, happens: () => void][] = [
  ['a write', 'releases/1/settings.json', () => writeFileSync(at('releases/1/settings.json'), '{"limit":2}')],
  [
    'a new file in its place',
    'releases/1/settings.json',
    () => renameSync(at('releases/2/settings.json'), at('releases/1/settings.json')),
  ],
  [
    'a link on the way that is switched',
    'current/settings.json',
    () => {
      symlinkSync('releases/2', at('next'));
      renameSync(at('next'), at('current'));
    },
  ],
  [
    'a directory on the way that another one replaces',
    'releases/1/settings.json',
    () => {
      renameSync(at('releases'), at('old'));
      mkdirSync(at('releases'));
      renameSync(at('old/2'), at('releases/1'));
    },
  ],
  ['its creation', 'later/settings.json', () => renameSync(at('releases/2'), at('later'))],
];

describe('a settings file', () => {
  it.each(ways)('is read after %s', async (_, path, happens) => {
    expect(await after(happens, path)).toEqual({ limit: 2 });
  });

  it('is read at once by a new daemon, and reported while it is not there', async () => {
    file.resume(at('current', 'settings.json'));
    await eventually(() => applied.length > 0);
    expect(applied).toEqual([{ limit: 1 }]);
    await eventually(() => failed.length > 0);
    rmSync(at('current'));
    await clock.passes(1_100);
    await eventually(() => failed.length > 1);
    expect(failed).toEqual([null, expect.stringContaining('no such file')]);
  });

  it('is followed no longer once it is closed', async () => {
    file.follow(at('current', 'settings.json'));
    file.close();
    expect(clock.pending).toBe(0);
  });
});

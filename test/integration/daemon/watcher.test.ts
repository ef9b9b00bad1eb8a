import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWatcher, Flood, type WatcherOptions } from '../../../src/daemon/triggers/watcher.ts';
import { realClock } from '../../../src/shared/clock.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const at = directoryForEach();
let watcher: ReturnType<typeof createWatcher> | undefined;
let seen: string[];
let errors: string[];

beforeEach(() => {
  mkdirSync(at('lib'));
  mkdirSync(at('node_modules', 'some'), { recursive: true });
  writeFileSync(at('app.js'), '1');
  [seen, errors] = [[], []];
});

afterEach(() => watcher?.close());

const sees = (file: string) => eventually(() => seen.includes(file));

async function watching(options: Partial<WatcherOptions> = {}): Promise<void> {
  watcher = createWatcher({
    paths: [at()],
    ignore: [],
    own: [],
    cwd: at(),
    delay: 1,
    clock: realClock,
    onChange: (file) => seen.push(file),
    onError: ({ message }) => errors.push(message),
    ...options,
  });
  await watcher.ready;
}

/** Changes a file that counts, after what does not, and waits for it: events come in order. */
async function afterwards(): Promise<string[]> {
  seen = [];
  writeFileSync(at('app.js'), 'last');
  await sees(at('app.js'));
  return seen.filter((file) => file !== at('app.js'));
}

describe('a watcher', () => {
  it('reports a changed file at any depth', async () => {
    await watching();
    writeFileSync(at('lib', 'b.js'), '1');
    await sees(at('lib', 'b.js'));
    writeFileSync(at('app.js'), '2');
    await sees(at('app.js'));
  });

  it('picks up new directories and the files in them', async () => {
    await watching();
    mkdirSync(at('lib', 'new', 'deep'), { recursive: true });
    await sees(at('lib', 'new'));
    // The new directories are watched at some moment after that: write until it is seen.
    await eventually(() => {
      writeFileSync(at('lib', 'new', 'deep', 'c.js'), '1');
      return seen.includes(at('lib', 'new', 'deep', 'c.js'));
    });
  });

  it('keeps watching a directory that was removed and created again', async () => {
    await watching();
    rmSync(at('lib'), { recursive: true });
    await sees(at('lib'));
    mkdirSync(at('lib'));
    await eventually(() => {
      writeFileSync(at('lib', 'again.js'), '1');
      return seen.includes(at('lib', 'again.js'));
    });
    expect(errors).toEqual([]);
  });

  it('reports a file that an editor replaces, but not the other files it leaves', async () => {
    await watching();
    for (const left of ['.app.js.swp', 'app.js~', '4913', '.#app.js']) writeFileSync(at(left), '');
    expect(await afterwards()).toEqual([]);
    seen = [];
    writeFileSync(at('app.js~'), 'new');
    renameSync(at('app.js~'), at('app.js'));
    await sees(at('app.js'));
  });

  it.each([
    ['a name', ['lib']],
    ['a relative path', ['./lib/gen/']],
    ['a glob of names', ['*.gen']],
    ['a glob of paths', ['lib/**']],
  ])('ignores %s, besides packages and its own files', async (_what, ignore) => {
    mkdirSync(at('lib', 'gen'));
    await watching({ ignore, own: [at('out (1).log')] });
    writeFileSync(at('lib', 'gen', 'x.gen'), '1');
    writeFileSync(at('out (1).log'), '1');
    writeFileSync(at('node_modules', 'some', 'index.js'), '1');
    writeFileSync(at('node_modules', 'b.js'), '1');
    expect(await afterwards()).toEqual([]);
  });

  it('watches a single file, even when an editor replaces it, and not its neighbours', async () => {
    await watching({ paths: [at('app.js')] });
    writeFileSync(at('neighbour.js'), '1');
    expect(await afterwards()).toEqual([]);
    for (const turn of ['first', 'second']) {
      seen = [];
      writeFileSync(at('temporary'), turn);
      renameSync(at('temporary'), at('app.js'));
      await sees(at('app.js'));
    }
  });

  it('reports a burst once, when it has been quiet for the delay', async () => {
    const clock = new FakeClock();
    await watching({ clock, delay: 200 });
    writeFileSync(at('app.js'), '2');
    await eventually(() => clock.pending === 1);
    await clock.passes(199);
    expect(seen).toEqual([]);
    await clock.passes(1);
    expect(seen).toEqual([at('app.js')]);
    expect(clock.pending).toBe(0);
  });

  it('stops watching in a flood of changes, and reports it once', { tags: 'full' }, async () => {
    const clock = new FakeClock();
    await watching({ clock, delay: 200 });
    const isWatching = () => process.getActiveResourcesInfo().includes('FSEventWrap');
    for (let number = 0; number < 4_000; number += 1) writeFileSync(at('lib', `${number}`), '1');
    await eventually(() => !isWatching());
    expect(errors).toEqual([expect.stringMatching('more than 5000 changes within a second')]);
    await clock.passes(999);
    expect([isWatching(), seen]).toEqual([false, []]);
    await clock.passes(1);
    await eventually(() => clock.pending === 1);
    await clock.passes(200);
    expect(seen).toEqual([at('lib', '0')]);
    seen = [];
    writeFileSync(at('lib', '1'), '2');
    await eventually(() => clock.pending === 1);
    await clock.passes(200);
    expect([seen, errors.length]).toEqual([[at('lib', '1')], 1]);
  });

  it('counts every directory inside one that is renamed repeatedly', { tags: 'full' }, async () => {
    const names = Array.from({ length: 500 }, (_, at) => `d${at}`);
    for (const name of names) mkdirSync(at('lib', name));
    await watching({ clock: new FakeClock() });
    let turns = 0;
    await eventually(() => {
      turns += 1;
      renameSync(at(turns % 2 ? 'lib' : 'moved'), at(turns % 2 ? 'moved' : 'lib'));
      return errors.length > 0;
    });
    expect(errors).toEqual(['more than 5000 changes within a second: changes are noticed later, as one']);
    // The events alone would not be that many.
    expect(turns).toBeLessThan(500);
  });

  it('finds a directory among many files', async () => {
    for (let count = 0; count < 600; count += 1) writeFileSync(at('lib', `${'x'.repeat(240)}-${count}`), '');
    mkdirSync(at('lib', 'sub'));
    await watching();
    writeFileSync(at('lib', 'sub', 'a.js'), '1');
    await sees(at('lib', 'sub', 'a.js'));
  });

  it('pauses longer after each flood, until the files are quiet', async () => {
    const flood = new Flood(new FakeClock());
    expect([flood.begin(), flood.begin(), flood.begin()]).toEqual([1_000, 2_000, 4_000]);
    for (let times = 0; times < 10; times += 1) flood.begin();
    expect(flood.begin()).toBe(60_000);
    flood.end();
    expect(flood.begin()).toBe(1_000);
  });

  it('does not follow links, whenever they appear', async () => {
    mkdirSync(at('outside', 'deep'), { recursive: true });
    symlinkSync(at('outside'), at('lib', 'before'));
    await watching({ paths: [at('lib'), at('app.js')] });
    symlinkSync(at('outside'), at('lib', 'after'));
    await sees(at('lib', 'after'));
    writeFileSync(at('outside', 'deep', 'a.js'), '1');
    writeFileSync(at('outside', 'a.js'), '1');
    expect(await afterwards()).toEqual([]);
  });

  it('reports a missing path, and watches the others', async () => {
    await watching({ paths: [at('missing'), at()] });
    expect(errors).toEqual([`failed to watch ${at('missing')}: no such file or directory`]);
    expect(await afterwards()).toEqual([]);
  });

  it('is silent once it is closed, also in the middle of a burst or a walk', async () => {
    const clock = new FakeClock();
    await watching({ clock });
    writeFileSync(at('app.js'), '2');
    await eventually(() => clock.pending === 1);
    watcher?.close();
    expect(clock.pending).toBe(0);

    const early = createWatcher({
      paths: [at()],
      ignore: [],
      own: [],
      cwd: at(),
      delay: 1,
      clock,
      onChange: () => {},
      onError: () => {},
    });
    early.close();
    await early.ready;
    // Node lets go of a closed watch in a later turn of the loop.
    await eventually(() => !process.getActiveResourcesInfo().includes('FSEventWrap'));
  });
});

import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../helpers/eventually.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { watchedTreeForEach } from '../../../helpers/watched-tree.ts';

const { at, state, write, watching, sees, others } = watchedTreeForEach();
const isWatching = () => process.getActiveResourcesInfo().includes('FSEventWrap');
const flooded = 'more than 5000 changes within a second: changes are noticed later, as one';

/** Lets time pass until something is reported. */
const reportedAt = (clock: FakeClock) =>
  eventually(async () => {
    await clock.passes(100);
    return state.seen.length > 0;
  });

describe('a watcher', () => {
  it('reports a burst once, when it has been quiet for the delay', async () => {
    const clock = new FakeClock();
    await watching({ clock, delay: 200 });
    const { pending } = clock;
    write('app.js', '2');
    write('lib/a.js', '2');
    await eventually(() => clock.pending > pending);
    await clock.passes(199);
    expect(state.seen).toEqual([]);
    await clock.passes(1);
    await eventually(() => state.seen.length > 0);
    expect(state.seen).toEqual(['app.js', 'lib/a.js']);
  });

  it('reports a burst that does not end after ten delays, and at least five seconds', async () => {
    const clock = new FakeClock();
    await watching({ clock, delay: 200 });
    const { pending } = clock;
    write('app.js', '2');
    await eventually(() => clock.pending > pending);
    for (let passed = 0; passed < 5_000; passed += 100) {
      expect(state.seen).toEqual([]);
      await clock.passes(100);
      const timers = clock.timers;
      write('app.js', String(passed));
      await eventually(() => clock.timers > timers);
    }
    await eventually(() => state.seen.length > 0);
  });

  it('stops watching in a flood of changes, and says so until it is over', { tags: 'full' }, async () => {
    const clock = new FakeClock();
    Object.assign(clock, { wall: Date.now });
    await watching({ clock, delay: 200 });
    for (let number = 0; number < 4_000; number += 1) writeFileSync(at('lib', `${number}`), '1');
    await eventually(() => !isWatching());
    expect(state.problems).toEqual([flooded]);
    await clock.passes(999);
    expect([isWatching(), state.seen]).toEqual([false, []]);
    await reportedAt(clock);
    expect(state.seen).toContain('lib/0');
    state.seen.length = 0;
    write('lib/1', '2');
    await reportedAt(clock);
    expect([state.seen, state.problems]).toEqual([['lib/1'], [flooded, 'solved']]);
  });

  it('reports nothing after a flood of changes that do not count', { tags: 'full' }, async () => {
    await watching({ ignore: ['*.bin'] });
    const begin = Date.now();
    await eventually(() => {
      // The kernel makes one event of equal ones in a row.
      for (let turn = 0; turn < 3_000; turn += 1) for (const name of ['a.bin', 'b.bin']) appendFileSync(at(name), 'x');
      // The files are written before the watcher has looked once more.
      return state.problems.length > 0 && Date.now() - begin > 1_000;
    });
    await eventually(() => isWatching());
    state.seen.length = 0;
    expect(await others()).toEqual([]);
  });

  it('counts every directory inside one that is renamed repeatedly', { tags: 'full' }, async () => {
    for (let number = 0; number < 500; number += 1) mkdirSync(at('lib', `d${number}`));
    await watching({ clock: new FakeClock() });
    let turns = 0;
    await eventually(() => {
      turns += 1;
      renameSync(at(turns % 2 ? 'lib' : 'moved'), at(turns % 2 ? 'moved' : 'lib'));
      return state.problems.length > 0;
    });
    expect(state.problems).toEqual([flooded]);
    // The events alone would not be that many.
    expect(turns).toBeLessThan(500);
  });

  it('finds a directory among many files', async () => {
    for (let count = 0; count < 600; count += 1) write(`lib/${'x'.repeat(240)}-${count}`);
    write('lib/sub/b.js');
    await watching();
    write('lib/sub/a.js');
    await sees('lib/sub/a.js');
  });

  it('is silent once it is closed, also in the middle of a burst or a walk', async () => {
    const clock = new FakeClock();
    await watching({ clock });
    const { pending } = clock;
    write('app.js', '2');
    await eventually(() => clock.pending > pending);
    state.watcher?.close();
    expect(clock.pending).toBe(0);

    const ready = watching({ clock });
    state.watcher?.close();
    await ready;
    expect(clock.pending).toBe(0);
    // Node lets go of a closed watch in a later turn of the loop.
    await eventually(() => !isWatching());
  });
});

// Reading a journal that is damaged, or rotated while it is read.
import { renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/cli/events/journal.ts';
import { createPast } from '../../../src/cli/events/past.ts';
import { renderEventLine } from '../../../src/ipc/journal/event-line.ts';
import type { EventView } from '../../../src/ipc/journal/event-views.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';

const home = temporaryHomeForEach();
let file: string;

beforeEach(() => {
  file = home.paths.events;
});

const line = (at: number, more: Partial<EventView> = {}) =>
  renderEventLine({ type: 'reload', at, app: 'web', ...more });
const times = (events: EventView[]) => events.map(({ at }) => at);
const endOf = (name: string) => ({ file: statSync(name).ino, bytes: statSync(name).size });

describe('a journal', () => {
  it('is empty when it does not exist', () => {
    expect(readJournal(file)).toEqual([]);
  });

  it('is read in the order of its times, without lines that are no events', () => {
    writeFileSync(`${file}.1`, `of the line before"}\n${line(1)}`);
    writeFileSync(file, `${line(3)}\0\0garbage\n\n${line(2)}${line(4)}${line(5).slice(0, -9)}`);
    expect(times(readJournal(file))).toEqual([1, 2, 3, 4]);
  });

  it('is read up to where following begins, also after a rotation', () => {
    writeFileSync(`${file}.1`, line(1));
    writeFileSync(file, `${line(2)}${line(3)}`);
    const end = endOf(file);
    writeFileSync(file, line(4), { flag: 'a' });
    expect(times(readJournal(file, end))).toEqual([1, 2, 3]);
    renameSync(file, `${file}.1`);
    writeFileSync(file, line(5));
    expect(times(readJournal(file, end))).toEqual([2, 3]);
  });

  it('is empty before a position that is gone', () => {
    writeFileSync(file, line(1));
    expect(readJournal(file, { file: 0, bytes: 0 })).toEqual([]);
  });

  it('fails with the reason when it is not a regular file', () => {
    symlinkSync('/dev/null', file);
    expect(() => readJournal(file)).toThrow(/failed to read the journal of events .* is not a regular file/);
  });
});

describe('past events', () => {
  it('continue with the next daemon where the previous one ended', () => {
    const printed: EventView[] = [];
    const past = createPast({ file, targets: [], since: 0, running: [], print: (event) => printed.push(event) });
    writeFileSync(file, `${line(1)}${line(2)}`);
    past.print({ daemon: 10, end: endOf(file) });
    // Told by the first daemon itself.
    writeFileSync(file, line(3), { flag: 'a' });
    const begins = line(4, { type: 'daemon', pid: 11 });
    writeFileSync(file, `${begins}${line(5)}`, { flag: 'a' });
    const end = endOf(file);
    writeFileSync(file, line(6), { flag: 'a' });
    past.print({ daemon: 11, end });
    expect(times(printed)).toEqual([1, 2, 4, 5]);
  });

  it('are those of the targets since a time', () => {
    const printed: EventView[] = [];
    writeFileSync(file, `${line(1)}${line(2)}${line(3, { app: 'worker' })}${line(4)}`);
    const past = createPast({ file, targets: ['web'], since: 2, running: [], print: (event) => printed.push(event) });
    past.print();
    expect(times(printed)).toEqual([2, 4]);
    expect(past).toMatchObject({ count: 2, isFollowed: false });
  });
});

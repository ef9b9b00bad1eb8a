// The records of an app, on a disk and on a clock that is turned by hand.
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DeathFile, mostRecords } from '../../../../src/daemon/deaths/death-file.ts';
import type { Death } from '../../../../src/daemon/process/death/death.ts';
import { death } from '../../../helpers/deaths.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let home: string;
let file: string;
let clock: FakeClock;
let reported: string[];
let mayWrite: boolean;

beforeEach(() => {
  home = temporaryDirectory();
  file = join(home, 'deaths', 'web.jsonl');
  [clock, reported, mayWrite] = [new FakeClock(), [], true];
});

/** What a daemon has that has just started. */
const opened = () =>
  new DeathFile(file, 'web', { clock, mayWrite: () => mayWrite, logError: (text) => reported.push(text) });
const of = (headline: string, rest: Partial<Death> = {}) =>
  death({ at: clock.wall(), error: { headline, frames: [] }, ...rest });
const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n');
const headlines = (deaths: DeathFile) => deaths.records().map(({ error }) => error?.headline);

describe('a death', () => {
  it('is on the disk at once, readable by its owner only, and known to the next daemon', () => {
    const recorded = opened().add(of('Error: one', { slot: 2 }));
    expect(recorded).toMatchObject({ number: 1, times: 1, slots: [2] });
    expect([statSync(file).mode & 0o777, statSync(join(home, 'deaths')).mode & 0o777]).toEqual([0o600, 0o700]);
    const next = opened();
    expect(next.records()).toEqual([recorded]);
    expect(next.add(of('Error: two')).number).toBe(2);
    expect(reported).toEqual([]);
  });

  it('is counted in the record of the same cause, by the next daemon too', async () => {
    const first = opened();
    first.add(of('Error: order 1'));
    await clock.passes(1_000);
    first.flush();
    const next = opened();
    expect(next.add(of('Error: order 2', { slot: 1, next: 'gave up' }))).toMatchObject({
      number: 1,
      times: 2,
      slots: [0, 1],
    });
    next.add(of('Error: other'));
    expect(next.records()).toMatchObject([
      {
        number: 1,
        times: 2,
        slots: [0, 1],
        next: 'gave up',
        error: { headline: 'Error: order 1' },
        lastAt: clock.wall(),
      },
      { number: 2, times: 1 },
    ]);
  });

  it('has a new record if the last one of the same cause is old', async () => {
    const deaths = opened();
    deaths.add(of('Error: one'));
    await clock.passes(11 * 60_000);
    expect(deaths.add(of('Error: one'))).toMatchObject({ number: 2, times: 1 });
  });
});

describe('a crash loop', () => {
  it('causes at most four writes a second, and leaves no timer', async () => {
    const deaths = opened();
    for (let count = 0; count < 3_000; count += 1) {
      deaths.add(of('Error: one'));
      await clock.passes(1);
    }
    await clock.passes(1_000);
    expect(lines()).toHaveLength(1 + 12);
    expect(deaths.records()).toMatchObject([{ times: 3_000 }]);
    expect(clock.pending).toBe(0);
  });

  it('keeps only the last records of changing causes, in a file of limited size', () => {
    const deaths = opened();
    const output = Array.from({ length: 15 }, () => '€'.repeat(500));
    for (let count = 0; count < 400; count += 1) deaths.add(of(`Error: ${'x'.repeat(count)}`, { output }));
    expect(statSync(file).size).toBeLessThan(600 * 1024);
    const kept = opened().records();
    expect(kept.length).toBeLessThanOrEqual(mostRecords);
    expect(kept.at(-1)?.number).toBe(400);
    expect(opened().add(of('Error: next')).number).toBe(401);
  });

  it('does not fill the disk with counts, however long it lasts', async () => {
    const deaths = opened();
    for (let count = 0; count < 20_000; count += 1) {
      deaths.add(of('Error: one'));
      deaths.flush();
    }
    expect(statSync(file).size).toBeLessThan(600 * 1024);
    expect(deaths.records()).toMatchObject([{ times: 20_000 }]);
  });
});

describe('a damaged file', () => {
  it.each([
    ['text', 'garbage'],
    ['half a record', '{"number":3,"cause":"exi'],
    ['a record without a field', '{"number":3,"cause":"exit"}'],
    ['a word that this nsv does not know', JSON.stringify({ ...death(), number: 3, cause: 'bad luck' })],
    ['another type', '[1,2]'],
    ['bytes', '\0\xff\xfe'],
  ])('has the damaged record moved aside, and keeps all others: %s', (_what, bad) => {
    opened().add(of('Error: one'));
    appendFileSync(file, `${bad}\n`);
    const next = opened();
    expect(headlines(next)).toEqual(['Error: one']);
    next.add(of('Error: two'));
    expect(headlines(opened())).toEqual(['Error: one', 'Error: two']);
    expect(reported).toEqual([expect.stringMatching(/^1 record in .* cannot be read, and moved to .*\.bad$/)]);
    expect(statSync(`${file}.bad`).mode & 0o777).toBe(0o600);
  });

  it('may lack the end of its last line', () => {
    opened().add(of('Error: one'));
    writeFileSync(file, readFileSync(file, 'utf8').trimEnd());
    opened().add(of('Error: two'));
    expect(headlines(opened())).toEqual(['Error: one', 'Error: two']);
    expect(reported).toEqual([]);
  });

  it('has no records of another app', () => {
    opened().add({ ...of('Error: one'), app: 'other' });
    expect(opened().records()).toMatchObject([{ app: 'web' }]);
  });

  it('is moved aside if it is a directory', () => {
    mkdirSync(file, { recursive: true });
    writeFileSync(join(file, 'mine'), '');
    const deaths = opened();
    deaths.add(of('Error: one'));
    expect(headlines(deaths)).toEqual(['Error: one']);
    expect(readdirSync(`${file}.bad`)).toEqual(['mine']);
  });
});

describe('an unwritable disk', () => {
  it('is reported once, and the records are kept in memory', () => {
    writeFileSync(join(home, 'deaths'), 'in the way');
    const deaths = opened();
    for (const headline of ['Error: one', 'Error: two']) deaths.add(of(headline));
    expect(headlines(deaths)).toEqual(['Error: one', 'Error: two']);
    expect(reported.filter((text) => text.startsWith('failed to write'))).toHaveLength(1);
  });
});

describe('a home', () => {
  it('gets no records once it is gone, and they are kept in memory', () => {
    mayWrite = false;
    const deaths = opened();
    deaths.add(of('Error: one'));
    deaths.add(of('Error: one'));
    expect(deaths.records()).toMatchObject([{ times: 2 }]);
    expect(readdirSync(home)).toEqual([]);
    deaths.remove();
    expect(deaths.records()).toEqual([]);
  });

  it('loses the records of a deleted app', () => {
    const deaths = opened();
    deaths.add(of('Error: one'));
    deaths.remove();
    expect(readdirSync(join(home, 'deaths'))).toEqual([]);
    expect(deaths.add(of('Error: two'))).toMatchObject({ number: 1 });
    chmodSync(file, 0o600);
  });
});

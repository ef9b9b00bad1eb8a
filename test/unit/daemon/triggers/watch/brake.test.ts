import { beforeEach, describe, expect, it } from 'vitest';
import { Brake, type Verdict } from '../../../../../src/daemon/triggers/watch/brake.ts';
import { FakeClock } from '../../../../helpers/fake-clock.ts';

let clock: FakeClock;
let brake: Brake;

beforeEach(() => {
  clock = new FakeClock();
  brake = new Brake(clock, '/srv/app.js');
});

/** These files change. */
const change = (...files: string[]) => brake.judge(files, clock.now());

/** The app starts, and some time later these files change. */
async function starts(files: string[], later = 200): Promise<Verdict> {
  brake.started(0);
  await clock.passes(later);
  return change(...files);
}

/** The same, as often in a row; returns what was decided each time. */
async function row(times: number, files: string[], later?: number): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let time = 0; time < times; time += 1) verdicts.push(await starts(files, later));
  return verdicts;
}

const counts = (...counting: string[]): Verdict => ({ counting, ignored: [], rest: 0 });
const restsOf = (verdicts: readonly Verdict[]) => verdicts.map(({ rest }) => rest / 1_000);

describe('a file that changes right after each start', () => {
  it('counts five times, is put off once, and is ignored from then on', async () => {
    const verdicts = await row(8, ['state.json']);
    expect(verdicts.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => counts('state.json')));
    expect(verdicts[5]).toEqual({ ...counts('state.json'), rest: 10_000 });
    expect(verdicts[6]).toMatchObject({ counting: [], ignored: ['state.json'] });
    expect(verdicts[7]).toMatchObject({ counting: [], ignored: [] });
    await clock.passes(3_600_000);
    expect(change('state.json', 'app.js')).toEqual(counts('app.js'));
  });

  it('is found among others, also if it is written several times, or by several instances', async () => {
    for (let time = 0; time < 6; time += 1) {
      await starts([`${time}.txt`]);
      brake.started(1);
      await clock.passes(2_900);
      change('state.json');
      change('state.json', 'more.json');
    }
    expect((await starts(['state.json'])).ignored).toEqual(['state.json']);
    expect(change('more.json').ignored).toEqual(['more.json']);
  });

  it('is found when it is written all the time', async () => {
    await row(6, ['state.json']);
    await clock.passes(9_000);
    expect(change('state.json').rest).toBe(10_000);
    expect((await starts(['state.json'])).ignored).toEqual(['state.json']);
  });

  it.each<[what: string, between: () => Promise<unknown>]>([
    [
      'another one changes later',
      async () => {
        await starts(['state.json']);
        await clock.passes(4_000);
        change('a.txt');
      },
    ],
    ['a start is followed by no change', () => starts([])],
  ])('keeps counting if %s', async (_, between) => {
    await row(5, ['state.json']);
    await between();
    expect(await row(5, ['state.json'])).toEqual(Array.from({ length: 5 }, () => counts('state.json')));
  });

  it('keeps counting if it changes some seconds after each', async () => {
    expect((await row(50, ['state.json'], 3_001)).at(-1)).toEqual(counts('state.json'));
  });

  it.each(['/srv/app.js', '/srv/a.mts', '/srv/b.tsx'])('counts for longer if it is code: %s', async (file) => {
    expect(restsOf(await row(21, [file]))).toEqual([...Array.from({ length: 20 }, () => 0), 10]);
    expect((await starts([file])).ignored).toEqual([file]);
  });

  it('is code if it has the extension of the script', async () => {
    brake = new Brake(clock, '/srv/app.py');
    expect(restsOf(await row(20, ['/srv/lib.py'])).at(-1)).toBe(0);
    brake = new Brake(clock, '/srv/start');
    expect(restsOf(await row(6, ['/srv/data'])).at(-1)).toBe(10);
  });
});

it('restarts are put off longer each time while files with other names change right after each', async () => {
  const verdicts: Verdict[] = [];
  for (let time = 0; time < 10; time += 1) verdicts.push(await starts([`${time}.txt`]));
  expect(restsOf(verdicts)).toEqual([0, 0, 0, 0, 0, 10, 20, 40, 60, 60]);
  await clock.passes(4_000);
  expect(change('config.json')).toEqual(counts('config.json'));
  expect(await starts(['a.txt'])).toEqual(counts('a.txt'));
});

import { expect, it } from 'vitest';
import { jointProgress } from '../../../src/ipc/joint-progress.ts';
import type { Report } from '../../../src/ipc/protocol.ts';
import { deferred } from '../../../src/shared/promises.ts';

/** Begins the work on apps of these names, out of `total`. */
function begin(names: readonly string[], total = names.length) {
  const told: string[] = [];
  const track = jointProgress(total, 'ready', (text, isLasting) => told.push(isLasting ? `note: ${text}` : text));
  const works = names.map((name) => {
    const { promise, resolve } = deferred<Error | undefined>();
    let report: Report = () => {};
    const end = track(name, async (given) => {
      report = given;
      const error = await promise;
      if (error) throw error;
    });
    return {
      report: (text: string, isLasting?: boolean) => report(text, isLasting),
      end: async (error?: Error) => {
        resolve(error);
        await end.catch(() => {});
      },
    };
  });
  return { works, told };
}

it('the progress of a single app is its own', async () => {
  const { works, told } = begin(['web']);
  works[0]?.report('waiting for web (instance 0) to be ready');
  works[0]?.report('web has no log', true);
  await works[0]?.end();
  expect(told).toEqual(['waiting for web (instance 0) to be ready', 'note: web has no log']);
});

it('the progress of several apps says how many are done, and which are awaited', async () => {
  const { works, told } = begin(['a', 'b', 'c', 'd', 'e']);
  works[4]?.report('waiting for e (instance 0) to be ready');
  for (const work of works.slice(0, 4)) await work.end();
  await works[4]?.end();
  expect(told).toEqual([
    '0 of 5 apps ready; waiting for a, b, c and 2 more',
    '1 of 5 apps ready; waiting for b, c, d and 1 more',
    '2 of 5 apps ready; waiting for c, d, e',
    '3 of 5 apps ready; waiting for d, e',
    '4 of 5 apps ready; waiting for e (instance 0) to be ready',
  ]);
});

it('the progress of several apps counts those that have failed', async () => {
  const { works, told } = begin(['a', 'b', 'c']);
  await works[0]?.end(new Error('no database'));
  expect(told).toEqual(['0 of 3 apps ready, 1 failed; waiting for b, c']);
});

it('apps that nobody works on yet are not awaited', async () => {
  const { works, told } = begin(['db'], 2);
  works[0]?.report('waiting for db (instance 0) to be ready');
  await works[0]?.end();
  expect(told).toEqual(['0 of 2 apps ready; waiting for db (instance 0) to be ready', '1 of 2 apps ready']);
});

it('what is lasting is passed on as it is', () => {
  const { works, told } = begin(['a', 'b']);
  works[1]?.report('b is stopped', true);
  expect(told).toEqual(['note: b is stopped']);
});

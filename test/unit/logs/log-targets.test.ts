import { expect, it } from 'vitest';
import type { Target } from '../../../src/logs/log-target.ts';
import { copiedTarget } from '../../../src/logs/log-targets.ts';
import { settle, watched } from '../../helpers/fake-clock.ts';

/** Full until it is emptied. */
class Held implements Target {
  text = '';
  hurries = 0;
  isFull = false;
  #empty = () => {};
  #emptied = Promise.resolve();

  write(text: string): void {
    this.text += text;
    this.isFull = true;
    this.#emptied = new Promise((resolve) => {
      this.#empty = resolve;
    });
  }

  drained(): Promise<void> {
    return this.#emptied;
  }

  written(): Promise<void> {
    return this.#emptied;
  }

  hurry(): void {
    this.hurries += 1;
  }

  empty(): void {
    this.isFull = false;
    this.#empty();
  }
}

it.each(['drained', 'written'] as const)('a copy is full while either file is, %s once both are', async (moment) => {
  const [own, common] = [new Held(), new Held()];
  const both = copiedTarget(own, common);
  expect(both.isFull).toBe(false);
  both.write('one\n', 'latin1');
  both.hurry();
  expect([own, common]).toMatchObject([
    { text: 'one\n', hurries: 1 },
    { text: 'one\n', hurries: 1 },
  ]);
  for (const [first, second] of [
    [own, common],
    [common, own],
  ] as const) {
    both.write('more\n', 'latin1');
    const work = watched(both[moment]());
    first.empty();
    await settle();
    expect([both.isFull, work.isOver]).toEqual([true, false]);
    second.empty();
    await work.over;
    expect(both.isFull).toBe(false);
  }
});

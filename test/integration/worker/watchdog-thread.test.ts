// The thread that tells the stack of a blocked process, as the app sees it.
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startThread } from '../../../src/worker/watchdog/main.ts';

// The test runner has put one there.
const own = Object.getOwnPropertyDescriptor(process, 'emit');
beforeEach(() => void Reflect.deleteProperty(process, 'emit'));
afterEach(() => void (own && Object.defineProperty(process, 'emit', own)));

it('the thread starts without a trace in `process`', async () => {
  const seen: unknown[] = [];
  process.once('worker', (thread) => seen.push(thread));
  startThread(-1);
  await turn();
  expect(seen).toEqual([]);
  expect(Object.hasOwn(process, 'emit')).toBe(false);
});

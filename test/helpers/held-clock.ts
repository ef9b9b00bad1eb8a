// Programs whose clock stands still until the test lets time pass (test/fixtures/clock/held.cjs).
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { type App, isAlive } from './socket-stage.ts';

/** To be added to the environment of the program. */
export const heldClock = {
  NODE_OPTIONS: `--require ${join(import.meta.dirname, '..', 'fixtures', 'clock', 'held.cjs')}`,
};

const step = 50;

/** Resolves when so much time has passed for the program, in steps of 50 ms, or when the program has ended. */
export async function passes(app: App, ms: number): Promise<void> {
  let hasEnded = false;
  void app.ended.then(() => {
    hasEnded = true;
  });
  const now = () =>
    Number(
      app
        .output()
        .match(/clock: \d+/g)
        ?.at(-1)
        ?.split(' ')[1] ?? 0,
    );
  const end = now() + ms;
  while (!hasEnded && now() < end) {
    const before = now();
    if (!isAlive(app.pid)) break;
    app.signal('SIGUSR2');
    await eventually(() => hasEnded || now() >= before + step);
  }
  // What the program has sent meanwhile, or that it has closed a connection, is there to be read.
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Lets time pass until the program has ended. For an end that waits for something that is no timer of its own, such as a
 * connection that its client closes: how much time passes until then depends on the machine.
 */
export async function endsInTime(app: App): Promise<Awaited<App['ended']>> {
  await passes(app, Number.POSITIVE_INFINITY);
  return app.ended;
}

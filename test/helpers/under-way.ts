// Requests that are under way while an app is reloaded or stopped.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { ask } from './http.ts';
import type { TestHome } from './nsv.ts';
import { type Visit, Visitors } from './visitors.ts';

/** Source of a handler that takes a moment for each answer; on /held it takes until `stopped` lets it. */
export const answer = `(request, response) => {
  const end = () => response.end(String(process.pid));
  if (request.url !== '/held') return setTimeout(end, 50);
  console.log('held');
  const timer = setInterval(() => require('fs').existsSync('answer') && (clearInterval(timer), end()), 20);
}`;

/** Reloads the app "web" under load, and expects an answer to each request. Returns the bodies of all answers. */
export async function reloaded(nsv: TestHome, port: number, visit: Partial<Visit> = {}, times = 1): Promise<string[]> {
  const visitors = new Visitors(16, { port, ...visit });
  for (let time = 0; time < times; time += 1) {
    const before = visitors.answers.length;
    await eventually(() => visitors.answers.length > before + 32);
    await nsv.ok('reload', 'web');
  }
  expect(await visitors.leave()).toEqual([]);
  return visitors.answers;
}

/** Reloads an app whose daemon has died, by the next one. */
export async function reloadedByNextDaemon(nsv: TestHome, port: number): Promise<void> {
  const visitors = new Visitors(16, { port });
  await nsv.killDaemonAndGuard();
  await eventually(async () => (await nsv.list())[0]?.ports.length === 1);
  await nsv.ok('reload', 'web');
  expect(await visitors.leave()).toEqual([]);
}

/** Stops the app, which needs a long kill timeout, while four requests are under way, and expects their answers. */
export async function stopped(nsv: TestHome, port: number): Promise<void> {
  const [{ outFile } = {}] = await nsv.list();
  const answers = Array.from({ length: 4 }, () => ask(port, { path: '/held', timeout: 60_000 }));
  await eventually(() => readFileSync(outFile!, 'utf8').match(/held/g)?.length === 4);
  const stop = nsv.ok('stop', 'web');
  await eventually(async () => (await nsv.list())[0]?.status !== 'online');
  nsv.script('answer', '');
  for (const each of await Promise.all(answers)) expect(each).toMatchObject({ ok: true });
  await stop;
}

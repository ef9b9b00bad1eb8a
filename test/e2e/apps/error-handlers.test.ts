// Apps that handle uncaught errors themselves: most of their handlers exit a little later, and some never.
// @module-tag full
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, bodies, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { PassersBy } from '../../helpers/passers-by.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
let port: number;

beforeEach(async () => {
  port = await freePort();
});

/** Its handler exits when the last connection is gone, as Sentry's does when the report is sent; or, as told, never. */
const app = () =>
  nsv.script(
    'app.cjs',
    `const [, , port, way] = process.argv;
const server = require('http').createServer((request, response) => {
  setTimeout(() => response.end(String(process.pid)), 5);
  if (request.url === '/throw') response.on('close', () => { throw new Error('thrown'); });
  if (request.url === '/reject') response.on('close', () => void Promise.reject(new Error('rejected')));
}).listen(Number(port));
for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, handle);
function handle({ message }) {
  console.log(message);
  const look = () => server.getConnections((_, count) => count === 0 && process.exit(1));
  if (way === 'exits') setInterval(look, 5);
}`,
  );

const start = (way: string, ...options: string[]) =>
  nsv.ok('start', app(), '--name', 'web', ...options, '--', String(port), way);

const ways = ['kernel', 'rr'];
const known = () => readFileSync(join(nsv.home, 'state.json'), 'utf8');

/** Until a client gets to it. */
const isIn = (pid: string) => eventually(async () => (await bodies(port, 20)).includes(pid));

describe.each(ways)('an app whose error handler exits later (%s)', (schedule) => {
  it.each(['/throw', '/reject'])('loses no other request: %s', async (path) => {
    await start('exits', '-i', '3', '--schedule', schedule);
    const visitors = new Visitors(8, { port });
    const passers = new PassersBy({ port }, 4);
    for (const restarts of [1, 2]) {
      expect((await ask(port, { path })).ok).toBe(true);
      await eventually(async () => {
        const views = await nsv.list('web');
        const isWhole = views.every(({ status }) => status === 'online');
        return isWhole && views.reduce((sum, view) => sum + view.restarts, 0) === restarts;
      });
    }
    expect(await Promise.all([visitors.leave(), passers.leave()])).toEqual([[], []]);
  });
});

describe('an app whose error handler does not exit', () => {
  it('accepts connections again, and is not restarted, by the next daemon either', async () => {
    await start('stays', '-i', '2');
    const answer = await ask(port, { path: '/throw' });
    const failed = answer.ok ? answer.body : answer.why;
    await eventually(() => known().includes('"survived":["exception"]'));
    await isIn(failed);
    await nsv.replaceDaemon();
    await eventually(async () => (await nsv.list('web')).every(({ ports }) => ports.length === 1));
    await ask(port, { path: '/reject' });
    await eventually(() => known().includes('"survived":["exception","rejection"]'));
    expect((await nsv.list('web')).map(({ status, restarts }) => [status, restarts])).toEqual([
      ['online', 0],
      ['online', 0],
    ]);
  });

  it('keeps serving if it has only one process', async () => {
    await start('stays');
    const { body } = (await ask(port, { path: '/throw' })) as { body: string };
    expect(new Set(await bodies(port, 40))).toEqual(new Set([body]));
  });

  it('accepts connections again at once when the daemon dies', async () => {
    await start('stays', '-i', '2');
    const { body: failed } = (await ask(port, { path: '/throw' })) as { body: string };
    await eventually(async () => !(await bodies(port, 20)).includes(failed));
    await nsv.killDaemonAndGuard();
    await isIn(failed);
  });
});

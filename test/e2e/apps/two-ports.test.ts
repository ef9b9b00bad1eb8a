// An app that listens on a second port when it has been up for a while.
// @module-tag full
import { beforeEach, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { fixture } from '../../helpers/launched.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
let metrics: number;
let main: number;

beforeEach(async () => {
  [metrics, main] = [await freePort(), await freePort()];
});

it.each(['1', '2'])(
  'an app that listens on its main port after another one loses no request of a reload: -i %s',
  async (instances) => {
    const words = ['-i', instances, '--', `${metrics}`, `${main}`, '2000'];
    await nsv.ok('start', fixture('listens-late.cjs'), ...words);
    await eventually(async () => (await ask(main)).ok);
    // The last one to be started listens too.
    await eventually(async () => (await nsv.list()).every(({ ports }) => ports.length === 2));
    const visitors = new Visitors(4, { port: main });
    await nsv.ok('reload', 'listens-late');
    expect(await visitors.leave()).toEqual([]);
    const views = await nsv.list();
    expect(views.map(({ ports }) => ports.length)).toEqual(views.map(() => 2));
  },
);

it('an app that has moved its port is reloaded without waiting for the old one, whatever has moved it', async () => {
  const source = `require('node:http').createServer((_, answer) => answer.end('ok'))
    .listen(Number(require('node:fs').readFileSync('port', 'utf8')))`;
  nsv.script('port', String(metrics));
  const words = ['start', nsv.script('moves.cjs', source), '--name', 'moves', '--listen-timeout', '10m'];
  await nsv.runWith({ cwd: nsv.directory }, ...words);
  nsv.script('port', String(main));
  await nsv.ok('reload', 'moves');
  expect(await ask(main)).toMatchObject({ ok: true });
  expect((await nsv.list())[0]?.ports).toEqual([String(main)]);
});

it('a port that an app has opened after its start is refused after a crash', async () => {
  const source = `const http = require('node:http');
    http.createServer((_, answer) => answer.end('ok')).listen(${main});
    setTimeout(() => http.createServer((_, answer) => answer.end('ok')).listen(${metrics}), 2000);`;
  await nsv.ok('start', nsv.script('late.cjs', source), '--listen-timeout', '1s');
  await eventually(async () => (await ask(metrics)).ok);
  const { pid } = (await nsv.list())[0]!;
  process.kill(pid!, 'SIGKILL');
  await eventually(async () => (await nsv.list())[0]?.pid !== pid);
  expect(await ask(metrics)).toEqual({ ok: false, why: 'ECONNREFUSED' });
  expect(await ask(main)).toEqual({ ok: true, body: 'ok' });
});

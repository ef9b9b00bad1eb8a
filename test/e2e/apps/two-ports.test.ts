// An app that listens on a second port when it has been up for a while.
// @module-tag full
import { beforeEach, describe, expect, it } from 'vitest';
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

describe('an app that listens on its main port after another one', () => {
  it.each(['1', '2'])('loses no request of a reload: -i %s', async (instances) => {
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
  });
});

describe('an app that has moved its port', () => {
  it('is reloaded without waiting for the old port if a variable names the new one', async () => {
    const source = "require('node:http').createServer((_, answer) => answer.end('ok')).listen(process.env.PORT)";
    const app = nsv.script('moves.cjs', source);
    const words = ['start', app, '--name', 'moves', '--listen-timeout', '10m'];
    await nsv.runWith({ env: { PORT: String(metrics) } }, ...words);
    await eventually(async () => (await nsv.list())[0]?.ports.includes(String(metrics)));
    const moved = await nsv.runWith({ env: { PORT: String(main) } }, 'reload', 'moves', '--update-env');
    expect(moved.code).toBe(0);
    expect(await ask(main)).toMatchObject({ ok: true });
    expect((await nsv.list())[0]?.ports).toEqual([String(main)]);
  });
});

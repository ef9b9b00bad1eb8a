// An app that listens on a second port when it has been up for a while.
import { beforeEach, describe, expect, it } from 'vitest';
import { ask, freePort } from '../../helpers/http.ts';
import { fixture } from '../../helpers/launched.ts';
import { eventually, homeForEach } from '../../helpers/nsv.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
let metrics: number;
let main: number;

beforeEach(async () => {
  [metrics, main] = [await freePort(), await freePort()];
});

describe('an app that listens on its main port after another one', () => {
  it.each(['1', '2'])('loses no request of a reload: -i %s', async (instances) => {
    const words = [
      fixture('listens-late.cjs'),
      '--min-uptime',
      '100',
      '-i',
      instances,
      '--',
      `${metrics}`,
      `${main}`,
      '2000',
    ];
    await nsv.ok('start', ...words);
    await eventually(async () => (await ask(main)).ok);
    // The last one to be started listens too.
    await eventually(async () => (await nsv.views()).every(({ ports }) => ports.length === 2));
    const visitors = new Visitors(4, { port: main });
    await nsv.ok('reload', 'listens-late');
    await visitors.leave();
    expect(visitors.failures).toEqual([]);
    const views = await nsv.list();
    expect(views.map(({ ports }) => ports.length)).toEqual(views.map(() => 2));
  });
});

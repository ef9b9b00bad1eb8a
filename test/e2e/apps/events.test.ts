// `nsv events` beside real apps, from a shell that reads it.
import { expect, it } from 'vitest';
import type { EventView } from '../../../src/ipc/journal/event-views.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

it('nsv events prints the events and messages of an app until the daemon ends', async () => {
  const app = nsv.script(
    'says.cjs',
    `require('node:http').createServer().listen(0);
     process.on('SIGUSR2', () => process.exit(3));
     process.send({ type: 'order', data: { n: 1 } });`,
  );
  await nsv.ok('start', app, '--name', 'web');
  const events = new Foreground(nsv, ['web', '--json'], { command: 'events' });
  // Nothing is told of what was before, so something is done until that is told.
  await eventually(async () => {
    await nsv.ok('reload', 'web');
    return events.stdout.includes('"reload"');
  });

  const reported = events.stdout.length;
  await nsv.ok('signal', 'USR2', 'web');
  await events.prints(/"type":"exit"[^\n]*"code":3[\s\S]*"type":"restart"[\s\S]*"type":"start"[\s\S]*"type":"online"/);
  await nsv.ok('delete', 'web');
  await events.prints(/"type":"delete"/);
  await nsv.ok('kill');
  expect(await events.ended).toMatchObject({ code: 0 });

  const received = events.stdout.slice(reported).trim().split('\n');
  const views = received.map((line) => JSON.parse(line) as EventView);
  expect(views.every((view) => view.app === 'web' && view.at > 1_700_000_000_000)).toBe(true);
  expect(views.find(({ type }) => type === 'message')).toMatchObject({ message: { type: 'order', data: { n: 1 } } });
  expect(views.find(({ type }) => type === 'exit')).toMatchObject({ exit: { code: 3, signal: null }, asked: false });
  expect(views.findLast(({ type }) => type === 'exit')).toMatchObject({ asked: true });
});

it('SIGTERM to the daemon ends nsv events and makes a pending start fail', { tags: 'full' }, async () => {
  const slow = nsv.script('slow.cjs', 'setInterval(() => {}, 1000)');
  await nsv.ok('start', slow, '--name', 'quick');
  const events = new Foreground(nsv, ['--json'], { command: 'events' });
  await eventually(async () => {
    await nsv.ok('restart', 'quick');
    return events.stdout !== '';
  });
  const start = nsv.run('start', slow, '--name', 'slow', '--wait-ready');
  await eventually(async () => (await nsv.list()).some(({ name, status }) => name === 'slow' && status === 'starting'));
  process.kill(nsv.daemonPid!, 'SIGTERM');
  expect(await start).toMatchObject({ code: 6, stderr: expect.stringContaining('slow') });
  expect(await events.ended).toMatchObject({ code: 0 });
});

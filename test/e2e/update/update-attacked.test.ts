// An update while apps of two users flood their channels with what is well-formed and not true, and clients the daemon's socket.
import { chmodSync, copyFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { fixture, hello, homeForEach } from '../../helpers/nsv.ts';
import { whyNoOtherUser } from '../../helpers/other-user.ts';
import { goodMessages } from '../../helpers/up-messages.ts';
import { request, Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
beforeEach(() => chmodSync(nsv.directory, 0o755));
const whyNot = await whyNoOtherUser();

/** Not `leaving`, after which a process has other things to do. */
const flood = Object.values(goodMessages)
  .filter(({ type }) => type !== 'leaving')
  .map((message) => `${JSON.stringify(message)}\n`)
  .join('');

it('an update during an attack loses no app and no request of other apps', { tags: 'full' }, async () => {
  const own = await freePort();
  await nsv.ok('start', hello, '--name', 'good', '-i', '2', '--', String(own));
  const script = join(nsv.directory, 'app.cjs');
  copyFileSync(fixture('writes-channel.cjs'), script);
  const ports: number[] = [];
  for (const [name, ...options] of [['own'], ...(whyNot ? [] : [['theirs', '--uid', 'nobody']])]) {
    const port = await freePort();
    await nsv.ok('start', script, '--name', name!, ...options, '--', String(port));
    ports.push(port);
  }
  const visitors = new Visitors(4, { port: own, think: 5 });
  let isOver = false;
  const attack = async (round: () => Promise<unknown>) => {
    while (!isOver) await round();
  };
  const attacks = [
    ...ports.map((port) => attack(() => request({ port, path: '/?times=20', body: flood }).catch(() => {}))),
    attack(() => knock('{"jsonrpc":"2.0","id":1,"method":"list","params":{"targets":[]}}\n'.repeat(50))),
    attack(() => knock('{"jsonrpc":"2.0","id":')),
  ];
  for (let updates = 0; updates < 2; updates += 1) {
    const before = nsv.daemonPid;
    await nsv.ok('update');
    expect(nsv.daemonPid).not.toBe(before);
  }
  isOver = true;
  await Promise.all(attacks);
  await nsv.ok('reload', 'good');
  await eventually(() => visitors.answers.length > 100);
  expect(await visitors.leave()).toEqual([]);
  expect((await nsv.list()).map(({ name, status }) => `${name} ${status}`)).toEqual(
    ['good', 'good', 'own', ...(whyNot ? [] : ['theirs'])].map((name) => `${name} online`),
  );
});

/** Says this to the daemon and leaves when it has heard anything, or as soon as all is said. */
function knock(text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(join(nsv.home, 'daemon.sock'));
    socket.on('error', () => {}).on('close', () => resolve());
    socket.once('data', () => socket.destroy());
    socket.end(text);
  });
}

import { describe, expect, it } from 'vitest';
import { ask, freePort } from '../../helpers/http.ts';
import { fixture } from '../../helpers/launched.ts';
import { outputOf } from '../../helpers/program.ts';
import { socketStage, workerNode } from '../../helpers/socket-stage.ts';

const stage = socketStage();

describe('an app under the preload', () => {
  it.each([
    ['its forks and its threads', 'guest.cjs', 'thread has listened'],
    ['its cluster', 'cluster-guest.cjs', 'fork {'],
  ])('sees itself and %s as under plain Node, and exits when it is done', async (_, script, last) => {
    const app = stage.group().start(script);
    expect(await app.ended).toEqual({ code: 0, signal: null });
    const env = { PATH: process.env.PATH ?? '', HOME: stage.directory };
    const documented = {
      NSV_APP: '',
      NSV_ID: '',
      NSV_INSTANCE: '',
      NODE_APP_INSTANCE: '',
      pm_id: '',
      name: '',
      NSV_TREE: '',
    };
    const plain = await outputOf(workerNode, [fixture(script)], { env: { ...env, ...documented } });
    expect(app.output()).toBe(plain);
    expect(plain).toContain(last);
  });

  it('sees only its own arguments for the interpreter', async () => {
    const app = stage.group().start('guest.cjs', [], { interpreterArgs: ['--no-warnings'] });
    const [, facts] = await app.prints(/^main (.*)$/m);
    expect(JSON.parse(facts!).execArgv).toEqual(['--no-warnings']);
  });
});

describe.each(['alone.cjs', 'asks-and-hangs-up.cjs'])('an app that closes its channel (%s)', (script) => {
  it('still listens on a socket of the group', async () => {
    const port = await freePort();
    const group = stage.group();
    const apps = await group.startAll(2, script, [port]);
    await Promise.all(apps.map((app) => app.prints(/listening/)));
    expect(group.sockets.addresses()).toEqual([String(port)]);
    expect(await ask(port)).toEqual({ ok: true, body: 'alone' });
  });
});

it('an app sees its channel closed after `process.disconnect()`, and exits when nothing else is left', async () => {
  const app = stage.group().start('hangs-up.cjs', [await freePort()]);
  await app.listens;
  await app.prints(/^true object\ndisconnect\nERR_IPC_CHANNEL_CLOSED\nfalse null\n/);
  app.send({ type: 'nothing' });
  app.child.send('hello');
  app.signal('SIGUSR1');
  expect(await app.ended).toEqual({ code: 0, signal: null });
  expect(app.output().match(/message|disconnect/g)).toEqual(['disconnect']);
});

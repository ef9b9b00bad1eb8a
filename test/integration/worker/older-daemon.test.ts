// `nsv/app` under a daemon that is older than it: nsv has been installed anew, and the daemon not been updated yet. What such a daemon
// does not know costs a process its channel.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { instancesVariable, marker } from '../../../src/ipc/worker-messages.ts';
import { eventually } from '../../helpers/eventually.ts';
import { fixture } from '../../helpers/launched.ts';
import { root } from '../../helpers/nsv.ts';
import { workerNode } from '../../helpers/socket-stage.ts';

const hello = { type: 'hello', suicide: true, killTimeout: 60_000, maxRequests: 0 };
const early = ['readiness', 'watchdog'];
const all = [...early, 'takes-part'];
let child: ChildProcess;

afterEach(async () => {
  child.kill('SIGKILL');
  await once(child, 'exit');
});

/** Begins a process as a daemon does, and returns the types of what it says through `nsv/app`. */
async function begin(variables: Record<string, string>): Promise<string[]> {
  const heard: string[] = [];
  child = fork(fixture('says-all.cjs'), {
    execPath: workerNode,
    execArgv: ['--require', join(root, 'dist', 'worker', 'preload.js')],
    env: { PATH: process.env.PATH, ...variables },
  });
  child.on('internalMessage', ({ type }: { type: string }) => {
    if (all.includes(type)) heard.push(type);
  });
  await once(child, 'message');
  return heard;
}

/** Resolves when the process has done what it was told, and what it said before that was heard. */
async function tell(message: object): Promise<void> {
  child.send({ cmd: marker, ...message });
  child.send('confirm');
  await once(child, 'message');
}

it('says nothing to one that does not know it, and all to the one that follows', async () => {
  const heard = await begin({});
  expect(heard).toEqual([]);
  await tell(hello);
  expect(heard).toEqual([]);
  await tell({ ...hello, inApp: true });
  await eventually(() => heard.length >= all.length);
  expect(heard.toSorted()).toEqual(all.toSorted());
});

it('says at once what each daemon knows that has ever heard of it, and the rest when it is greeted', async () => {
  const heard = await begin({ [instancesVariable]: '1' });
  expect(heard).toEqual(early);
  await tell(hello);
  expect(heard).toEqual(early);
  await tell({ ...hello, inApp: true });
  expect(heard).toEqual(all);
});

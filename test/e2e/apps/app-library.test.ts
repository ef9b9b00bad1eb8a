// `nsv/app` in processes of nsv: what it knows, what the daemon makes of what it says, and the order of the end.
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { installNsv } from '../../helpers/app-library.ts';
import { eventually } from '../../helpers/eventually.ts';
import { ask, bodies, freePort } from '../../helpers/http.ts';
import { fixture, homeForEach, written } from '../../helpers/nsv.ts';

const nsv = homeForEach();
let port: number;

beforeEach(async () => {
  installNsv(nsv.directory);
  port = await freePort();
});

const file = (name: string) => join(nsv.directory, name);

/** The process of the only app. */
async function only() {
  const [view] = await nsv.list();
  return { ...view!, pid: view!.pid! };
}

describe('an instance', { tags: 'full' }, () => {
  it('has its app, slot, id and release in nsv/app, as have its forks, which have no connection to the daemon', async () => {
    const app = nsv.script(
      'knows.cjs',
      `const { fork } = require('node:child_process');
       const { appendFileSync } = require('node:fs');
       const { instance } = require('nsv/app');
       const key = Symbol.for('nsv.worker');
       const facts = { ...instance, bridge: key in process, seen: 'NSV_GROUP_SIZE' in process.env };
       if (!process.argv[2] && instance.slot === 0) fork(__filename, ['child']);
       if (instance.slot === 0) appendFileSync(${JSON.stringify(file('out'))}, JSON.stringify(facts) + '\\n');
       setInterval(() => {}, 1000);`,
    );
    const env = { NSV_RELEASE: 'r7' };
    await nsv.runWith({ env }, 'start', app, '--name', 'web', '-i', '2');
    const lines = await eventually(async () => {
      const all = (await written(file('out'))).trim().split('\n');
      return all.length === 2 && all;
    });
    const known = { app: 'web', slot: 0, id: 0, release: 'r7', seen: false };
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...known, instances: 2, bridge: true },
      { ...known, instances: 1, bridge: false },
    ]);
  });
});

describe('an app that reports its readiness', () => {
  it('delays its start until it is ready, and leaves the accept queue while it is not, under the next daemon too', async () => {
    const app = nsv.script(
      'says.mjs',
      `import { existsSync } from 'node:fs';
       import { createServer } from 'node:http';
       import { instance, isReady, notReady, ready } from 'nsv/app';
       notReady('filling the cache');
       createServer((_, response) => response.end(String(instance.slot))).listen(${port});
       const look = setInterval(() => {
         if (!existsSync(${JSON.stringify(file('gate'))})) return;
         clearInterval(look);
         ready();
       }, 10);
       process.on('SIGUSR2', () => (isReady() ? notReady('the queue is full') : ready()));`,
    );
    const start = nsv.run('start', app, '--name', 'web', '-i', '2', '--listen-timeout', '60s');
    const ports = async () => (await nsv.list()).map(({ status, ports }) => `${status} ${ports.length}`).join();
    await eventually(async () => (await nsv.answers()) && (await ports()) === 'starting 1,starting 1');
    writeFileSync(file('gate'), '');
    expect(await start).toMatchObject({ code: 0 });

    const first = await only();
    const unready = async () => (await nsv.list()).map((process) => process.unready);
    process.kill(first.pid, 'SIGUSR2');
    await eventually(async () => (await unready())[0] === 'the queue is full');
    expect(await nsv.ok('list')).toContain('not ready');
    await eventually(async () => new Set(await bodies(port, 20)).size === 1);
    expect(await bodies(port, 20)).toEqual(Array(20).fill('1'));

    await nsv.replaceDaemon();
    await eventually(async () => (await nsv.answers()) && (await unready()).join() === 'the queue is full,');
    await eventually(async () => !(await bodies(port, 20)).includes('0'));

    process.kill(first.pid, 'SIGUSR2');
    await eventually(async () => (await bodies(port, 20)).includes('0'));
    expect(await unready()).toEqual([undefined, undefined]);
  });

  it('fails to start if it never becomes ready', { tags: 'full' }, async () => {
    const app = nsv.script(
      'never.cjs',
      `require('nsv/app').notReady(); require('http').createServer().listen(${port});`,
    );
    const { code, stderr } = await nsv.run('start', app, '--listen-timeout', '1s');
    expect(code).not.toBe(0);
    expect(stderr).toContain('did not become ready');
  });
});

describe('the shutdown of an app with requests, a queue, a beacon and two handlers', { tags: 'full' }, () => {
  /** What a process has printed, in order. */
  const trace = (out: string, pid: number) =>
    readFileSync(out, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(`${pid} `))
      .map((line) => line.slice(line.indexOf(' ') + 1));

  const ended = (out: string, pid: number) =>
    eventually(() => {
      const lines = trace(out, pid);
      return lines.at(-1)?.startsWith('exit') && lines;
    });

  const arrived = (out: string, pid: number) =>
    eventually(() => existsSync(out) && readFileSync(out, 'utf8').includes(`${pid} a request arrives`));
  const end = (reason: string, code: number) => [
    `handler: the queue is left, because of ${reason}`,
    'handler: the database is closed',
    `exit with ${code}`,
  ];

  async function start(...words: string[]): Promise<{ pid: number; outFile: string }> {
    cpSync(fixture('takes-part.mjs'), file('app.mjs'));
    await nsv.ok('start', file('app.mjs'), '--name', 'web', ...words, '--', String(port));
    const { pid, outFile } = await only();
    return { pid, outFile: outFile! };
  }

  it('runs in the same order on a reload, an uncaught error and a stop', async () => {
    const { pid, outFile } = await start('--kill-timeout', '20s');
    const slow = ask(port, { path: '/slow' });
    await arrived(outFile, pid);
    await nsv.ok('reload', 'web');
    expect(await slow).toEqual({ ok: true, body: `${pid}\n` });
    const reloaded = await ended(outFile, pid);
    expect(reloaded.slice(-3)).toEqual(end('SIGTERM', 0));
    expect(reloaded).toContain('the job in progress is done');
    expect(reloaded.indexOf('the end begins')).toBeLessThan(reloaded.indexOf('the job in progress is done'));

    const second = await only();
    const alsoSlow = ask(port, { path: '/slow' });
    await arrived(outFile, second.pid);
    await ask(port, { path: '/throw' });
    expect(await alsoSlow).toMatchObject({ ok: true });
    const thrown = await ended(outFile, second.pid);
    expect(thrown.slice(-3)).toEqual(end('Error: thrown on request', 1));
    for (const line of ['the end begins', 'the request in progress is answered', 'the job in progress is done']) {
      expect(thrown).toContain(line);
    }

    const third = await eventually(async () => (await nsv.list()).find((one) => one.status === 'online'));
    await nsv.ok('stop', 'web');
    const stopped = trace(outFile, third.pid!);
    expect(stopped.slice(-3)).toEqual(end('SIGTERM', 0));
    expect((await only()).lastExit).toEqual({ code: 0, signal: null });
  });

  it('gives up before the kill timeout, with a message and exit code 1', async () => {
    const env = { HANDLER: '600000', BEACON: '600000' };
    cpSync(fixture('takes-part.mjs'), file('app.mjs'));
    // A signal that the library does not listen to: nsv tells it all the same.
    const settings = ['--kill-timeout', '3s', '--stop-signal', 'SIGHUP'];
    const words = ['start', file('app.mjs'), '--name', 'web', ...settings, '--', String(port)];
    expect(await nsv.runWith({ env }, ...words)).toMatchObject({ code: 0 });
    const { pid, outFile, errorFile } = await only();
    await nsv.ok('stop', 'web');
    expect(trace(outFile!, pid)).toEqual(['listens', 'the end begins', ...end('SIGHUP', 1)]);
    const errors = readFileSync(errorFile!, 'utf8');
    expect(errors).toContain('gave up waiting for 1 beacon(s) that did not die: { job: 1 }');
    expect(errors).toContain('the shutdown handler "queue" did not finish within');
    expect((await only()).lastExit).toEqual({ code: 1, signal: null });
  });
});

describe('an app that calls shutdown()', { tags: 'full' }, () => {
  it('is replaced before it exits if it serves, and restarted after it has exited if it does not', async () => {
    const serves = nsv.script(
      'serves.cjs',
      `const { onShutdown, shutdown } = require('nsv/app');
       const { existsSync, writeFileSync } = require('node:fs');
       const mine = ${JSON.stringify(file('serves-'))};
       onShutdown(({ reason }) => new Promise((resolve) => {
         writeFileSync(mine + process.pid, reason + '\\n');
         setInterval(() => existsSync(mine + 'go') && resolve(), 10);
       }));
       require('http').createServer((request, response) => {
         response.end(String(process.pid));
         if (request.url === '/end') shutdown('tired');
       }).listen(${port});`,
    );
    await nsv.ok('start', serves, '--name', 'web', '--kill-timeout', '60s');
    const { pid } = await only();
    await ask(port, { path: '/end' });
    expect(await written(file(`serves-${pid}`))).toBe('tired\n');
    const successor = await eventually(async () => {
      const [process] = await nsv.list();
      return process?.status === 'online' && process.pid !== pid && process;
    });
    expect(await bodies(port, 5)).toEqual(Array(5).fill(String(successor.pid)));
    writeFileSync(file('serves-go'), '');
    await nsv.ok('delete', 'web');

    const works = nsv.script(
      'works.cjs',
      `const { onShutdown, ready, shutdown } = require('nsv/app');
       const { appendFileSync } = require('node:fs');
       ready();
       onShutdown(() => appendFileSync(${JSON.stringify(file('order'))}, 'left\\n'));
       appendFileSync(${JSON.stringify(file('order'))}, 'begun\\n');
       setTimeout(() => shutdown('done'), 20);
       setInterval(() => {}, 1000);`,
    );
    // What ends with 0 before it is ready would be taken for a job.
    await nsv.run('start', works, '--name', 'works', '--no-wait', '--stop-exit-codes', '3');
    const order = await eventually(async () => {
      const lines = (await written(file('order'))).split('\n');
      return lines.length > 4 && lines.slice(0, 4);
    });
    expect(order).toEqual(['begun', 'left', 'begun', 'left']);
  });
});

// One client, one process: by its address, or by the port of the process.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { freePorts } from '../../helpers/ports.ts';
import { variants } from '../../helpers/variants.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();

const web = (port: number | string) =>
  nsv.script(
    'web.js',
    `require('http').createServer((_, response) => response.end(process.env.NODE_APP_INSTANCE)).listen(${port});`,
  );

async function bodyFrom(port: number, from?: string): Promise<string> {
  const answer = await ask(port, { from });
  return answer.ok ? answer.body : answer.why;
}

const clients = Array.from({ length: 24 }, (_, index) => `127.0.1.${index + 1}`);

/** Which instance each client is served by. Each makes three connections. */
async function instances(port: number): Promise<string[]> {
  const bodies = await Promise.all(
    clients.map((from) => Promise.all(Array.from({ length: 3 }, () => bodyFrom(port, from)))),
  );
  return bodies.map((each) => [...new Set(each)].join(' and '));
}

describe.runIf(process.platform === 'linux')('a client of an app with --schedule sticky', () => {
  it('is always served by the same instance, whatever replaces its process', async () => {
    const port = await freePort();
    await nsv.ok('start', web(port), '-i', '4', '--schedule', 'sticky');
    const before = await instances(port);
    expect(new Set(before)).toEqual(new Set(['0', '1', '2', '3']));
    for (const command of ['reload', 'restart']) {
      await nsv.ok(command, 'web');
      expect(await instances(port)).toEqual(before);
    }
    await nsv.replaceDaemon();
    await eventually(async () => (await nsv.list()).every(({ ports }) => ports.length === 1));
    await eventually(async () => JSON.stringify(await instances(port)) === JSON.stringify(before));
  });

  it('is served by another instance while its own does not exist', async () => {
    const port = await freePort();
    await nsv.ok('start', web(port), '-i', '4', '--schedule', 'sticky');
    const before = await instances(port);
    await nsv.ok('scale', 'web', '3');
    const after = await instances(port);
    expect(after.filter((_, index) => before[index] !== '3')).toEqual(before.filter((each) => each !== '3'));
    expect(after).not.toContain('3');
    await nsv.ok('scale', 'web', '4');
    expect(await instances(port)).toEqual(before);
  });

  it('loses no request when the app is reloaded', async () => {
    const port = await freePort();
    await nsv.ok('start', web(port), '-i', '2', '--schedule', 'sticky');
    const visitors = new Visitors(8, { port });
    await eventually(() => visitors.answers.length > 16);
    await nsv.ok('reload', 'web');
    expect(await visitors.leave()).toEqual([]);
    expect(new Set(visitors.answers).size).toBe(1);
  });
});

describe('an app with --listen-each', () => {
  it('listens on a port of its own in each instance, whatever replaces its processes', async () => {
    const first = await freePorts(3);
    await nsv.ok('start', web(80), '-i', '2', '--listen-each', String(first));
    const all = () => Promise.all([first, first + 1, first + 2].map((port) => bodyFrom(port)));
    expect(await all()).toEqual(['0', '1', 'ECONNREFUSED']);
    expect((await nsv.list()).map(({ ports }) => ports)).toEqual([[String(first)], [String(first + 1)]]);
    await nsv.ok('restart', 'web');
    expect(await all()).toEqual(['0', '1', 'ECONNREFUSED']);
    await nsv.ok('scale', 'web', '3');
    expect(await all()).toEqual(['0', '1', '2']);
    await nsv.replaceDaemon();
    await eventually(async () => (await nsv.list()).every(({ ports }) => ports.length === 1));
    const visitors = [0, 1, 2].map((slot) => new Visitors(4, { port: first + slot }));
    await eventually(() => visitors.every(({ answers }) => answers.length > 8));
    await nsv.ok('reload', 'web');
    for (const each of visitors) await each.leave();
    expect(visitors.map(({ failures }) => failures)).toEqual([[], [], []]);
    expect(visitors.map(({ answers }) => [...new Set(answers)])).toEqual([['0'], ['1'], ['2']]);
  });

  variants(['the first one', 80])(
    'is probed on the port of each process, whatever port the probe names: %s',
    async (named) => {
      const first = await freePorts(2);
      const probe = `http://:${named === 80 ? 80 : first}/`;
      await nsv.ok('start', web(80), '-i', '2', '--listen-each', String(first), '--ready-probe', probe);
    },
  );

  it('moves to other ports on reload', async () => {
    const [old, first] = [await freePort(), await freePort()];
    await nsv.ok('start', web(80), '--listen-each', String(old));
    const { code, stderr } = await nsv.run('reload', 'web', '--listen-each', String(first));
    expect(code).toBe(0);
    expect(stderr).not.toContain('waiting for web');
    expect(await bodyFrom(first)).toBe('0');
    await eventually(async () => (await bodyFrom(old)) === 'ECONNREFUSED');
  });

  it('names the port that is taken', async () => {
    const first = await freePorts(2);
    const other = createServer().listen(first + 1, '0.0.0.0');
    await once(other, 'listening');
    const { code, stderr } = await nsv.run('start', web(80), '-i', '2', '--listen-each', String(first));
    other.close();
    expect({ code, stderr }).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(`port ${first + 1} is in use by`),
    });
    expect(stderr).toContain(`Error: listen EADDRINUSE: address already in use :::${first + 1}`);
  });

  variants(['exclusive: true', 'reusePort: true'])('listens on its own port with { %s }', async (option) => {
    const first = await freePort();
    const app = nsv.script(
      'web.js',
      `require('http').createServer((_, response) => response.end('own')).listen({ port: 80, ${option} });`,
    );
    await nsv.ok('start', app, '--listen-each', String(first));
    expect(await bodyFrom(first)).toBe('own');
  });

  it('listens on its own port in a thread', { tags: 'full' }, async () => {
    const first = await freePort();
    const app = nsv.script(
      'web.js',
      `const { isMainThread, Worker } = require('worker_threads');
      if (isMainThread) new Worker(__filename);
      else require('http').createServer((_, response) => response.end('thread')).listen(80);`,
    );
    await nsv.ok('start', app, '--listen-each', String(first));
    expect(await bodyFrom(first)).toBe('thread');
  });

  it('shares its other ports', async () => {
    const first = await freePorts(2);
    const shared = await freePort();
    const app = nsv.script(
      'web.js',
      `const http = require('http');
      const answer = (_, response) => response.end(process.env.NODE_APP_INSTANCE);
      http.createServer(answer).listen(80, () => http.createServer(answer).listen(${shared}));`,
    );
    await nsv.ok('start', app, '-i', '2', '--listen-each', String(first));
    expect((await nsv.list()).map(({ ports }) => ports.toSorted())).toEqual(
      [first, first + 1].map((own) => [String(own), String(shared)].toSorted()),
    );
  });

  it('gets its port again after it has closed its server', async () => {
    const first = await freePort();
    const app = nsv.script(
      'web.js',
      `const http = require('http');
      const server = http.createServer((_, response) => response.end('first')).listen(80, () => server.close(() =>
        http.createServer((_, response) => response.end('second')).listen(80)));`,
    );
    await nsv.ok('start', app, '--listen-each', String(first));
    await eventually(async () => (await bodyFrom(first)) === 'second');
  });

  variants([
    ['--listen-each', '3001'],
    ['--schedule', 'sticky'],
  ])('is refused if it is not a Node program: %s %s', async (...setting) => {
    expect(await nsv.run('start', 'sleep 60', ...setting)).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(
        /^nsv: --(listen-each|schedule sticky) is not supported: "sleep" is not run by Node/,
      ),
    });
    await nsv.ok('start', 'sleep 60', '--name', 'other');
    expect(await nsv.run('reload', 'other', ...setting)).toMatchObject({ code: 7 });
  });
});

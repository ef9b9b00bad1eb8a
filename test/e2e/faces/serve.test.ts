// `nsv serve`: the file server as an app.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach, root } from '../../helpers/nsv.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
let port: number;

beforeEach(async () => {
  mkdirSync(join(nsv.directory, 'site'));
  writeFileSync(join(nsv.directory, 'site', 'index.html'), 'home');
  port = await freePort();
});

describe('nsv serve', () => {
  it('serves a directory, and loses no request in reloads and scaling', async () => {
    const [started] = JSON.parse(await nsv.ok('serve', 'site', String(port), '-i', '2', '--json'));
    expect(started).toMatchObject({ name: `static-page-server-${port}`, status: 'online', ports: [String(port)] });
    const visitors = new Visitors(8, { port, think: 5 });
    await nsv.ok('reload', 'all');
    await nsv.ok('scale', started.name, '3');
    await nsv.ok('scale', started.name, '1');
    await nsv.ok('reload', 'all');
    await eventually(() => visitors.answers.length > 100);
    expect(await visitors.leave()).toEqual([]);
    expect(new Set(visitors.answers)).toEqual(new Set(['home']));
  });

  it('starts nothing without a directory', { tags: 'full' }, async () => {
    expect(await nsv.fails(3, 'serve', 'nothing')).toContain('"nothing" is not a directory');
    expect(nsv.daemonPid).toBeUndefined();
  });

  it('reports a port that is in use', { tags: 'full' }, async () => {
    const other = createServer().listen(port);
    const words = ['serve', 'site', '--port', String(port), '--max-restarts', '0'];
    expect(await nsv.fails(6, ...words)).toContain('nsv serve: listen EADDRINUSE');
    other.close();
  });

  it('reads only the password from variables of the shell', { tags: 'full' }, async () => {
    const env = {
      PM2_SERVE_SPA: 'true',
      PM2_SERVE_HOMEPAGE: '/other.html',
      PM2_SERVE_BASIC_AUTH: 'true',
      PM2_SERVE_BASIC_AUTH_PASSWORD: 'secret',
    };
    expect(await nsv.runWith({ env }, 'serve', 'site', String(port), '--name', 'open')).toMatchObject({ code: 0 });
    expect(await ask(port)).toEqual({ ok: true, body: 'home' });
    expect(await ask(port, { path: '/page' })).toMatchObject({ ok: false });
    const closed = await freePort();
    const words = ['serve', 'site', String(closed), '--basic-auth-username', 'me'];
    expect(await nsv.runWith({ env }, ...words)).toMatchObject({ code: 0 });
    expect(await ask(closed)).toMatchObject({ ok: false, why: expect.stringContaining('401') });
    expect(await nsv.fails(2, ...words)).toContain('--basic-auth-password');
  });
});

describe('the file server', { tags: 'full' }, () => {
  it('can be the script of an app in a config file', async () => {
    const env = { PM2_SERVE_PATH: 'site', PM2_SERVE_PORT: port, PM2_SERVE_SPA: 'true' };
    const file = nsv.script('nsv.config.json', JSON.stringify({ apps: [{ name: 'site', script: 'serve', env }] }));
    await nsv.ok('start', file);
    expect(await ask(port, { path: '/page' })).toEqual({ ok: true, body: 'home' });
  });

  it.each([
    [{ PM2_SERVE_PATH: 'nothing' }, 'which is not a directory'],
    [{ PM2_SERVE_PATH: 'site', PM2_SERVE_PORT: 'http' }, 'PM2_SERVE_PORT must be a whole number'],
    [{ PM2_SERVE_PATH: 'site', PM2_SERVE_BASIC_AUTH: 'true' }, 'needs PM2_SERVE_BASIC_AUTH_USERNAME'],
    [{ PM2_SERVE_PATH: 'site', PM2_SERVE_SPA: 'yes' }, 'PM2_SERVE_SPA must be one of'],
  ])('is not started if a config file has %o', async (env, problem) => {
    const file = nsv.script('nsv.config.json', JSON.stringify({ apps: [{ script: 'serve', env }] }));
    expect(await nsv.run('start', file)).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
    expect(nsv.daemonPid).toBeUndefined();
  });

  it('is a command of nsv-pm2', async () => {
    const program = join(root, 'bin', 'pm2-compat');
    const words = ['serve', 'site', String(port), '--spa', '--name', 'site'];
    expect(await nsv.runWith({ program }, ...words)).toMatchObject({ code: 0 });
    expect(await nsv.list()).toMatchObject([{ name: 'site', ports: [String(port)] }]);
    expect(await ask(port, { path: '/page' })).toEqual({ ok: true, body: 'home' });
  });
});

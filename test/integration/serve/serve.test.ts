// The file server behind `nsv serve`, in this process: real files, real sockets, requests of which every byte is the test's.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFiles } from '../../../src/serve/files.ts';
import { createGuard } from '../../../src/serve/main.ts';
import { makeFifo } from '../../helpers/program.ts';
import { RawClient } from '../../helpers/raw-client.ts';

let folder: string;
let root: string;
let server: Server | undefined;
let port: number;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'nsv-serve-')));
  root = join(folder, 'site');
  for (const name of ['docs', 'empty', '.well-known', '.git']) mkdirSync(join(root, name), { recursive: true });
  mkdirSync(join(folder, 'site-secret'));
  write('index.html', 'home');
  write('docs/index.html', 'docs');
  write('ten.txt', '0123456789');
  write('a b%.txt', 'odd');
  write('.env', 'secret');
  write('.git/config', 'secret');
  write('.well-known/acme', 'for all');
  write('../outside.txt', 'secret');
  write('../site-secret/key', 'secret');
  symlinkSync('ten.txt', join(root, 'inner.txt'));
  symlinkSync('../outside.txt', join(root, 'outer.txt'));
  symlinkSync('../site-secret', join(root, 'outer'));
});
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
  rmSync(folder, { recursive: true });
});

function write(name: string, content: string): void {
  writeFileSync(join(root, name), content);
}

async function open(wishes: { spa?: boolean; homepage?: string } = {}, guard = (next: RequestListener) => next) {
  const files = createFiles({ root, spa: false, homepage: '/index.html', ...wishes });
  server = createServer(guard(files));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
}

interface Heard {
  status: number;
  head: string;
  body: string;
}

/** `line` is the request line without its version. */
async function ask(line: string, ...headers: string[]): Promise<Heard> {
  const client = await RawClient.open(port);
  client.says(`${[`${line} HTTP/1.1`, 'Host: test', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`);
  await client.over();
  const [head = '', ...body] = client.received.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: body.join('\r\n\r\n') };
}

describe('a file', () => {
  it.each([
    ['/', 'home'],
    ['/docs/', 'docs'],
    ['/ten.txt', '0123456789'],
    ['/ten.txt?version=1', '0123456789'],
    ['/a%20b%25.txt', 'odd'],
    ['/inner.txt', '0123456789'],
    ['/.well-known/acme', 'for all'],
    ['//ten.txt', '0123456789'],
    ['http://test/ten.txt', '0123456789'],
  ])('is served: %s', async (path, body) => {
    await open();
    expect(await ask(`GET ${path}`)).toMatchObject({ status: 200, body });
  });

  it('has its content type, and forbids sniffing another', async () => {
    await open();
    const { head } = await ask('GET /docs/');
    expect(head).toMatch(/^content-type: text\/html; charset=utf-8$/im);
    expect(head).toMatch(/^x-content-type-options: nosniff$/im);
  });

  it('has no body for HEAD', async () => {
    await open();
    expect(await ask('HEAD /ten.txt')).toMatchObject({ status: 200, body: '' });
    expect((await ask('HEAD /ten.txt')).head).toMatch(/^content-length: 10$/im);
  });

  it('is served in ranges', async () => {
    await open();
    expect(await ask('GET /ten.txt', 'Range: bytes=2-4')).toMatchObject({ status: 206, body: '234' });
    expect(await ask('GET /ten.txt', 'Range: bytes=-2')).toMatchObject({ status: 206, body: '89' });
    const beyond = await ask('GET /ten.txt', 'Range: bytes=20-');
    expect(beyond.status).toBe(416);
    expect(beyond.head).toMatch(/^content-range: bytes \*\/10$/im);
  });

  it('is not sent again to a client that has it', async () => {
    await open();
    const [, etag] = /^etag: (.*)$/im.exec((await ask('GET /ten.txt')).head) ?? [];
    expect(await ask('GET /ten.txt', `If-None-Match: ${etag}`)).toMatchObject({ status: 304, body: '' });
    write('ten.txt', 'another content');
    expect(await ask('GET /ten.txt', `If-None-Match: ${etag}`)).toMatchObject({ status: 200, body: 'another content' });
  });

  it('is served from when it exists until it is deleted', async () => {
    await open();
    write('new.txt', 'new');
    expect(await ask('GET /new.txt')).toMatchObject({ status: 200, body: 'new' });
    unlinkSync(join(root, 'new.txt'));
    expect(await ask('GET /new.txt')).toMatchObject({ status: 404 });
  });

  it('redirects to a trailing slash if it is a directory', async () => {
    await open();
    mkdirSync(join(root, 'a?b'));
    for (const [path, location] of [
      ['/docs', '/docs/'],
      ['//docs?page=2', '/docs/?page=2'],
      ['/a%3Fb', '/a%3Fb/'],
    ]) {
      const { status, head } = await ask(`GET ${path}`);
      expect(status).toBe(301);
      expect(head).toContain(`\r\nLocation: ${location}\r\n`);
    }
  });
});

describe('a request that is not served', () => {
  it.each([
    '/../outside.txt',
    '/docs/../../outside.txt',
    '/..%2foutside.txt',
    '/%2e%2e/outside.txt',
    '/%2e%2e%2foutside.txt',
    '/%252e%252e/outside.txt',
    '/..%5coutside.txt',
    '/../site-secret/key',
    '//../outside.txt',
    'http://test/../outside.txt',
    '/outer.txt',
    '/outer/key',
    '/.env',
    '/%2eenv',
    '/docs/../.env',
    '/.git/config',
    '/docs/.well-known/acme',
    '/ten.txt/',
    '/empty/',
    '/nothing',
    `/${'x'.repeat(5000)}`,
  ])('gets 404 for %s', async (path) => {
    await open();
    const answer = await ask(`GET ${path}`);
    expect(answer).toMatchObject({ status: 404, body: 'Not Found\n' });
  });

  it('gets 404 for what is not a regular file', async () => {
    await makeFifo(join(root, 'fifo'));
    await open();
    expect(await ask('GET /fifo')).toMatchObject({ status: 404 });
  });

  it.each(['/ten.txt%00.html', '/%zz', '/%', '/%c0%ae%c0%ae/outside.txt'])('gets 400 for %s', async (path) => {
    await open();
    expect(await ask(`GET ${path}`)).toMatchObject({ status: 400 });
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('gets 405 for %s', async (method) => {
    await open();
    const { status, head } = await ask(`${method} /ten.txt`, 'Content-Length: 0');
    expect(status).toBe(405);
    expect(head).toMatch(/^allow: GET, HEAD$/im);
  });

  it('gets the 404 page of the directory', async () => {
    write('404.html', 'lost');
    await open();
    expect(await ask('GET /nothing')).toMatchObject({ status: 404, body: 'lost' });
    expect(await ask('HEAD /nothing')).toMatchObject({ status: 404, body: '' });
  });
});

describe('a single-page app', () => {
  it('serves its page for every unknown page, but not for files', async () => {
    await open({ spa: true });
    expect(await ask('GET /users/7')).toMatchObject({ status: 200, body: 'home' });
    expect(await ask('GET /users/john.doe', 'Accept: text/html,*/*')).toMatchObject({ status: 200, body: 'home' });
    expect(await ask('GET /old.js', 'Accept: */*')).toMatchObject({ status: 404 });
    expect(await ask('GET /docs/')).toMatchObject({ status: 200, body: 'docs' });
    expect((await ask('GET /.env')).body).not.toContain('secret');
  });

  it('may use another page', async () => {
    write('app.html', 'app');
    await open({ spa: true, homepage: '/app.html' });
    expect([(await ask('GET /')).body, (await ask('GET /users')).body]).toEqual(['app', 'app']);
  });
});

describe('a password', () => {
  const basic = (text: string) => `Authorization: Basic ${Buffer.from(text).toString('base64')}`;

  it('admits a client that sends it', async () => {
    await open({}, (next) => createGuard({ username: 'me', password: 'p:w' }, next));
    const { status, head } = await ask('GET /ten.txt', basic('me:p:w'));
    expect(status).toBe(200);
    // Nor is it kept where others could have it.
    expect(head).toMatch(/^cache-control: private, max-age=0$/im);
    expect(await ask('GET /ten.txt', basic('me:p:w').replace('Basic', 'basic'))).toMatchObject({ status: 200 });
  });

  it.each([[], [basic('me:pw')], [basic('me')], [basic('')], ['Authorization: Bearer x'], ['Authorization: Basic']])(
    'keeps out %s',
    async (...headers) => {
      await open({}, (next) => createGuard({ username: 'me', password: 'p:w' }, next));
      const { status, head, body } = await ask('GET /ten.txt', ...headers);
      expect({ status, body }).toEqual({ status: 401, body: 'Unauthorized\n' });
      expect(head).toMatch(/^www-authenticate: basic realm=/im);
    },
  );
});

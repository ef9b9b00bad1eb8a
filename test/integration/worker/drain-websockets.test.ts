// WebSockets of a server that drains: their clients are sent elsewhere by a frame that comes between all others.
import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { certificate } from '../../helpers/certificate.ts';
import { beginsDrain, bySignal, drain } from '../../helpers/draining.ts';
import { freePort } from '../../helpers/http.ts';
import { RawClient } from '../../helpers/raw-client.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';
import { variants } from '../../helpers/variants.ts';

const stage = socketStage();
let secrets: string[];
beforeAll(async () => {
  secrets = await certificate(stage.directory);
});

interface Served {
  app: App;
  port: number;
  socket: WebSocket;
}

async function connected(scheme = 'ws'): Promise<Served> {
  const port = await freePort();
  const [app] = await stage.group().startAll(1, 'websockets.cjs', [port, ...(scheme === 'wss' ? secrets : [])]);
  return { app: app!, port, socket: await opened(port, scheme) };
}

async function opened(port: number, scheme = 'ws'): Promise<WebSocket> {
  const socket = new WebSocket(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  await once(socket, 'open');
  return socket;
}

/** The code with which it was closed; fails where the frames were mixed up. */
const closed = async (socket: WebSocket): Promise<number> => (await once(socket, 'close'))[0];

describe('a WebSocket of a server that drains', () => {
  variants(['ws', 'wss'])('is closed as "going away", and then the process leaves: %s', async (scheme) => {
    const { app, socket } = await connected(scheme);
    app.send(drain);
    expect(await closed(socket)).toBe(1001);
    expect(await app.ended).toEqual(bySignal);
  });

  it('lets its client reconnect to the successor', async () => {
    const port = await freePort();
    const group = stage.group();
    const [old] = await group.startAll(1, 'websockets.cjs', [port]);
    const socket = await opened(port);
    const successor = group.start('websockets.cjs', [port], { slot: 1 });
    await successor.listens;
    old!.send(drain);
    await closed(socket);
    const next = await opened(port);
    next.send('pid');
    expect(String((await once(next, 'message'))[0])).toBe(String(successor.pid));
  });

  it('is closed in the middle of a message of several fragments', async () => {
    const { app, socket } = await connected();
    socket.send('fragment');
    await app.prints(/heard fragment/);
    app.send(drain);
    expect(await closed(socket)).toBe(1001);
    expect(await app.ended).toEqual(bySignal);
  });

  it('is closed after the messages that its client has not read yet', async () => {
    const { app, socket } = await connected();
    const messages: number[] = [];
    socket.on('message', (data: Buffer) => messages.push(data.length));
    socket.pause();
    socket.send('flood');
    await app.prints(/heard flood/);
    await beginsDrain(app);
    socket.resume();
    expect(await closed(socket)).toBe(1001);
    expect(messages).toEqual([...Array(200).fill(100_000), 'end'.length]);
    expect(await app.ended).toEqual(bySignal);
  });

  it('is closed even if it was opened after the drain began', async () => {
    const { app, port, socket } = await connected();
    const late = await RawClient.open(port);
    app.send(drain);
    await closed(socket);
    late.asks(
      '/',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${key}`,
    );
    // A close frame of two bytes: the first of them is that of the code.
    await late.hears(/101 Switching[\s\S]*\r\n\r\n.\x02\x03/);
    late.leaves();
    expect(await app.ended).toEqual(bySignal);
  });
});

const key = Buffer.alloc(16).toString('base64');

describe('a connection that was upgraded to something else', () => {
  it('gets no byte from nsv, and may stay open', async () => {
    const { app, port, socket } = await connected();
    const other = await RawClient.open(port);
    other.asks('/', 'Connection: Upgrade', 'Upgrade: echo');
    await other.hears(/\r\n\r\n$/);
    other.forgets();
    app.send(drain);
    await closed(socket);
    other.says('still there?');
    expect(await other.hears(/\?/)).toBe('still there?');
    other.leaves();
    expect(await app.ended).toEqual(bySignal);
  });
});

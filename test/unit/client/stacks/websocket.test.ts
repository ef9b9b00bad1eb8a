import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { WebSocketClient } from '../../../../src/client/stacks/websocket.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Without sockets, it answers every request with 404. */
async function listening(sockets?: WebSocketServer): Promise<URL> {
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.on('upgrade', (request, socket, head) => {
    if (sockets) sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client, request));
    else socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/some-id`);
}

/** Echoes, and closes the connection when it is told to. */
function echo(): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true });
  sockets.on('connection', (client, { url }) => {
    client.on('message', (data) => (String(data) === 'close' ? client.close() : client.send(`${url} ${data}`)));
  });
  return sockets;
}

describe('the WebSocket client', () => {
  it('sends and receives messages of every size', async () => {
    const address = await listening(echo());
    for (const size of [0, 100, 126, 65_535, 65_536, 1_000_000]) {
      const echoed = await new Promise<string>((resolve, reject) => {
        const client: WebSocketClient = new WebSocketClient(address, {
          opened: () => client.send('ä'.repeat(size)),
          message(text) {
            resolve(text);
            client.close();
          },
          closed: (error) => error && reject(error),
        });
      });
      expect(echoed === `/some-id ${'ä'.repeat(size)}`).toBe(true);
    }
  });

  it('reports that the server has closed the connection', async () => {
    const address = await listening(echo());
    const error = await new Promise((resolve) => {
      const client: WebSocketClient = new WebSocketClient(address, {
        opened: () => client.send('close'),
        message: () => {},
        closed: resolve,
      });
    });
    expect(error).toBeUndefined();
  });

  it('reports that the server has refused the connection', async () => {
    const address = await listening();
    const error = await new Promise((resolve) => {
      new WebSocketClient(address, { opened: () => {}, message: () => {}, closed: resolve });
    });
    expect(error).toEqual(new Error('it refused the connection'));
  });
});

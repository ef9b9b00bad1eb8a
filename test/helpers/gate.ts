// A port before another one. While it is shut, what the other one says, and that it has hung up, is still on its way.
import { connect, createServer, type Socket } from 'node:net';

export class Gate {
  readonly #sockets: Socket[] = [];
  #held: (() => void)[] = [];
  #isShut = false;
  /** Bytes that have come from clients. */
  received = 0;
  port = 0;
  #close = () => {};

  static async before(target: number): Promise<Gate> {
    const gate = new Gate();
    const server = createServer({ allowHalfOpen: true }, (client) => gate.#join(client, target));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    gate.port = (server.address() as { port: number }).port;
    gate.#close = () => server.close();
    return gate;
  }

  shuts(): void {
    this.#isShut = true;
  }

  opens(): void {
    this.#isShut = false;
    for (const pass of this.#held.splice(0)) pass();
  }

  close(): void {
    this.#close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket, target: number): void {
    const served = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    this.#sockets.push(client, served);
    client.on('data', (chunk) => {
      this.received += chunk.length;
      served.write(chunk);
    });
    client.on('end', () => served.end());
    client.on('error', () => served.destroy());
    served.on('data', (chunk) => this.#pass(() => client.write(chunk)));
    served.on('end', () => this.#pass(() => client.end()));
    served.on('error', () => this.#pass(() => client.resetAndDestroy()));
  }

  #pass(act: () => void): void {
    if (this.#isShut) this.#held.push(act);
    else act();
  }
}

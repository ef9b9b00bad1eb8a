// A port that is a long way from another: every byte takes its time, in both directions.
import { connect, createServer, type Socket } from 'node:net';

export interface FarAway {
  port: number;
  /** The other side has said something for the first time, which is still on its way. */
  answered: Promise<void>;
  close(): void;
}

/** `delay`: milliseconds for each way. */
export async function farAway(target: number, delay: number): Promise<FarAway> {
  const sockets: Socket[] = [];
  let hasAnswered = () => {};
  const answered = new Promise<void>((resolve) => {
    hasAnswered = resolve;
  });
  const carry = (from: Socket, to: Socket) => {
    from.on('data', (chunk) => setTimeout(() => to.write(chunk), delay));
    from.on('end', () => setTimeout(() => to.end(), delay));
    from.on('error', () => to.destroy());
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const served = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(client, served);
    carry(client, served);
    carry(served.once('data', hasAnswered), client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as { port: number }).port, answered, close };
}

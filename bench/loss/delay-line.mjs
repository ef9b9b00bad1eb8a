// A network between client and server, on one machine: whatever one side sends reaches the other after a delay, in order,
// and so do the end of its stream and a reset. What is sent to a closed connection comes back as a reset, later.
import { createServer, Socket } from 'node:net';

/** Resolves with the address for the clients, and close(). `delay`: milliseconds each way. */
export async function createDelayLine(target, delay) {
  const sockets = new Set();
  // Timers of the same duration fire in the order in which they were set.
  const later = (act) => setTimeout(act, delay);
  const carry = (from, to) => {
    sockets.add(from.setNoDelay(true));
    from.on('data', (chunk) => later(() => to.writable && to.write(chunk)));
    from.on('end', () => later(() => to.writable && to.end()));
    from.on('error', () => later(() => to.resetAndDestroy()));
    from.on('close', () => sockets.delete(from));
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const served = new Socket({ allowHalfOpen: true });
    carry(client, served);
    carry(served, client);
    later(() => served.connect(target));
  });
  await new Promise((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 2048 }, resolve));
  return {
    target: { host: '127.0.0.1', port: server.address().port },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

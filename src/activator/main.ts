// A separate program: puts a bound socket, inherited as descriptor 3, into the LISTEN state and exits.
//
// The state belongs to the socket and stays. The daemon cannot do this itself, because libuv's listen() also polls and
// would accept connections. This process exits before its event loop starts. Its exit code is 0 or the error number.
import { Server } from 'node:net';

const server = new Server();
// Emitted in the next tick, which is still before the event loop.
server.on('error', ({ errno = -1 }: NodeJS.ErrnoException) => process.exit(-errno));
server.listen({ fd: 3 });
if (server.listening) process.exit(0);

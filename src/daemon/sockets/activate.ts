// A program of its own: puts the bound socket it inherits as descriptor 3 into the LISTEN state, then ends.
//
// The state belongs to the socket and stays. The daemon cannot do this itself: whoever calls listen() through libuv
// also polls, and would accept. Here the process ends before its event loop begins to turn.
// The exit code is 0 or the error number.
import { Server } from 'node:net';

const server = new Server();
// Comes in the next tick, which is still before the event loop.
server.on('error', ({ errno = -1 }: NodeJS.ErrnoException) => process.exit(-errno));
server.listen({ fd: 3 });
if (server.listening) process.exit(0);

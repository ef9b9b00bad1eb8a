// The usual code for a graceful shutdown, for the comparison with node:cluster.
import { createServer } from 'node:http';
import { answer } from './hello.mjs';

const server = createServer(answer).listen(process.env.PORT);
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  setTimeout(() => process.exit(1), 5000).unref();
});

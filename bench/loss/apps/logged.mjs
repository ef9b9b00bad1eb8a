// Writes down each connection it accepts, at once: after SIGKILL the log tells whose connections died with it.
import { openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { answer } from './hello.mjs';

const log = openSync(process.env.ACCEPT_LOG, 'a');
const server = createServer(answer);
server.prependListener('connection', ({ remotePort }) =>
  writeSync(log, `${process.pid} ${remotePort} ${Date.now()}\n`),
);
server.listen(process.env.PORT);

// Closes its IPC channel once it listens, as an app does that expects to be started by anything.
import { createServer } from 'node:http';
import { answer } from './hello.mjs';

createServer(answer).listen(process.env.PORT, () => process.disconnect?.());

// winston's own handler of uncaught errors: it logs, and exits when all is written. Of a console it never learns that,
// so it exits after 3 s.
import { createServer } from 'node:http';
import winston from 'winston';
import { answer } from './hello.mjs';

winston.createLogger({ transports: [new winston.transports.Console({ handleExceptions: true })] });
createServer(answer).listen(process.env.PORT);

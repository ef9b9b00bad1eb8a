import { createServer } from 'node:http';
import { answer } from './hello.mjs';

createServer(answer).listen(process.env.PORT);

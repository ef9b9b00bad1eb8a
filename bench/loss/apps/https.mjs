import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { answer } from './hello.mjs';

const { TLS_KEY, TLS_CERT, PORT } = process.env;
createServer({ key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT) }, answer).listen(PORT);

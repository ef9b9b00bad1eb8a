// With a certificate as browsers want it, else "h2c".
import { readFileSync } from 'node:fs';
import { createSecureServer, createServer } from 'node:http2';
import { answer } from './hello.mjs';

const { TLS_KEY, TLS_CERT, PORT } = process.env;
const server = TLS_KEY
  ? createSecureServer({ key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT) }, answer)
  : createServer(answer);
server.listen(PORT);

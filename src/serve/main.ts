// The program behind `nsv serve`: an ordinary app that serves the files of a directory.
import { createHash, timingSafeEqual } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type Credentials, parseServeOptions } from '../config/serve.ts';
import { createFiles, respondWithStatus } from './files.ts';

try {
  start();
} catch (error) {
  fail(error);
}

function start(): void {
  const { path, port, host, auth, ...pages } = parseServeOptions(process.env, process.cwd());
  // Links are resolved once, so that a process never mixes the files of two releases; the next process resolves them
  // again.
  const files = createFiles({ root: realpathSync(path), ...pages });
  const server = createServer(auth ? createGuard(auth, files) : files);
  server.on('error', fail);
  server.listen({ port, ...(host !== undefined && { host }) }, () => {
    console.log(`serving ${path}`);
    process.send?.('ready');
  });
}

/** `nsv serve` shows the last line of the error log as the reason. */
function fail(error: unknown): void {
  console.error(`nsv serve: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/** Basic authentication (https://www.rfc-editor.org/rfc/rfc7617): passes only requests with these credentials on to `next`. */
export function createGuard({ username, password }: Credentials, next: RequestListener): RequestListener {
  const expected = digest(`${username}:${password}`);
  return (request, response) => {
    const [, encoded] = /^basic +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const given = digest(Buffer.from(encoded ?? '', 'base64').toString());
    if (timingSafeEqual(given, expected)) {
      // Without this header, shared caches such as proxies may store the response.
      response.setHeader('Cache-Control', 'private, max-age=0');
      return next(request, response);
    }
    respondWithStatus(response, 401, { 'WWW-Authenticate': 'Basic realm="nsv", charset="UTF-8"' });
  };
}

/** Hashes have a fixed length, so the time of the comparison reveals nothing about the credentials. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

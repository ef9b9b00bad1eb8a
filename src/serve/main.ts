// The program behind `nsv serve`: an ordinary app that serves the files of a directory.
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseServeOptions } from '../config/serve.ts';
import { createGuard } from './auth.ts';
import { createFiles } from './files.ts';

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

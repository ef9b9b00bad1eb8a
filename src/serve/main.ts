// The program behind `nsv serve`, an app like any other: it serves the files of a directory.
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
  // Where a link leads to another release, the next process follows it: no page is made of files of two.
  const files = createFiles({ root: realpathSync(path), ...pages });
  const server = createServer(auth ? createGuard(auth, files) : files);
  server.on('error', fail);
  server.listen({ port, ...(host !== undefined && { host }) }, () => {
    console.log(`serving ${path}`);
    process.send?.('ready');
  });
}

/** Its reason is the last line of the error log, which `nsv serve` shows. */
function fail(error: unknown): void {
  console.error(`nsv serve: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

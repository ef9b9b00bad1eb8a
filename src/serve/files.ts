// Serves the files of a directory over HTTP. The package `send` handles ranges, conditional requests and content types.
import { readFile } from 'node:fs/promises';
import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { extname } from 'node:path';
import { contentType } from 'mime-types';
import send from 'send';
import type { ServeOptions } from '../config/serve.ts';
import { asDirectory, type FoundFile, find, isHidden, pathOf } from './found.ts';

/** `root` must be a real path. */
type FileOptions = Pick<ServeOptions, 'spa' | 'homepage'> & { root: string };

export function createFiles({ root, spa, homepage }: FileOptions): RequestListener {
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return respondWithStatus(response, 405, { Allow: 'GET, HEAD' });
    const path = pathOf(request.url ?? '/');
    if (path === undefined) return respondWithStatus(response, 400);
    const file = fileOf(path);
    const found = isHidden(path) ? undefined : await find(root, file, response);
    if (found?.isDirectory) return respondWithStatus(response, 301, { Location: asDirectory(file, request.url ?? '') });
    if (found) return give(request, response, file, found);
    if (!spa) return missing(response);
    response.setHeader('Vary', 'Accept');
    const page = isPageOf(path, request) ? await find(root, homepage, response) : undefined;
    return page && !page.isDirectory ? give(request, response, homepage, page) : missing(response);
  }

  function fileOf(path: string): string {
    if (path === '/') return homepage;
    return path.endsWith('/') ? `${path}index.html` : path;
  }

  async function missing(response: ServerResponse): Promise<void> {
    const found = await find(root, '/404.html', response);
    if (!found || found.isDirectory) return respondWithStatus(response, 404);
    const page = await readFile(found.path);
    answer(response, 404, page, { 'Content-Type': 'text/html; charset=utf-8' });
  }

  return (request, response) => {
    serve(request, response).catch(() => respondWithStatus(response, 500));
  };
}

function give(request: IncomingMessage, response: ServerResponse, name: string, { path }: FoundFile): void {
  response.setHeader('Content-Type', contentType(extname(name)) || 'application/octet-stream');
  send(request, path)
    .on('error', ({ status }: { status: number }) => respondWithStatus(response, status))
    .pipe(response);
}

/** Only requests that a browser would display are answered with a page: a missing script must not be. */
function isPageOf(path: string, { headers }: IncomingMessage): boolean {
  return !/\.[^/]*$/.test(path) || (headers.accept ?? '').includes('text/html');
}

export function respondWithStatus(response: ServerResponse, status: number, headers: OutgoingHttpHeaders = {}): void {
  answer(response, status, `${STATUS_CODES[status]}\n`, { 'Content-Type': 'text/plain; charset=utf-8', ...headers });
}

/** Node itself omits the body for HEAD. */
function answer(response: ServerResponse, status: number, body: string | Buffer, headers: OutgoingHttpHeaders): void {
  // A response that has begun is aborted, so that the client does not take it for complete.
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

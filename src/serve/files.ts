// Serves the files of a directory over HTTP. The package `send` handles ranges, conditional requests and content types.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import send from 'send';
import type { ServeOptions } from '../config/serve.ts';
import { answer, refuse } from './answers.ts';
import { asDirectory, isHidden, isInside, pathOf } from './paths.ts';

/** `root` must be a real path. */
type FileOptions = Pick<ServeOptions, 'spa' | 'homepage'> & { root: string };

export function createFiles({ root, spa, homepage }: FileOptions): RequestListener {
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, { Allow: 'GET, HEAD' });
    const path = pathOf(request.url ?? '/');
    if (path === undefined) return refuse(response, 400);
    const file = fileOf(path);
    if (!isHidden(path) && (await isInside(root, file))) return give(request, response, file);
    if (!spa) return missing(response);
    response.setHeader('Vary', 'Accept');
    const isPage = isPageOf(path, request) && (await isInside(root, homepage));
    return isPage ? give(request, response, homepage) : missing(response);
  }

  function fileOf(path: string): string {
    if (path === '/') return homepage;
    return path.endsWith('/') ? `${path}index.html` : path;
  }

  function give(request: IncomingMessage, response: ServerResponse, file: string): void {
    send(request, encodeURI(file), { root, index: false, dotfiles: 'allow' })
      .on('error', ({ status }: { status: number }) => {
        // The file was removed in the meantime.
        if (status === 404) missing(response).catch(() => refuse(response, 404));
        else refuse(response, status);
      })
      .on('directory', () => refuse(response, 301, { Location: asDirectory(file, request.url ?? '') }))
      .pipe(response);
  }

  async function missing(response: ServerResponse): Promise<void> {
    if (!(await isInside(root, '404.html'))) return refuse(response, 404);
    const page = await readFile(join(root, '404.html'));
    answer(response, 404, page, { 'Content-Type': 'text/html; charset=utf-8' });
  }

  return (request, response) => {
    serve(request, response).catch(() => refuse(response, 500));
  };
}

/** Only requests that a browser would display are answered with a page: a missing script must not be. */
function isPageOf(path: string, { headers }: IncomingMessage): boolean {
  return !/\.[^/]*$/.test(path) || (headers.accept ?? '').includes('text/html');
}

// Answers that are no file.
import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';

export function refuse(response: ServerResponse, status: number, headers: OutgoingHttpHeaders = {}): void {
  answer(response, status, `${STATUS_CODES[status]}\n`, { 'Content-Type': 'text/plain; charset=utf-8', ...headers });
}

/** Node itself leaves out the body for HEAD. */
export function answer(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: OutgoingHttpHeaders,
): void {
  // What has begun cannot be taken back: the client must not take it for whole.
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

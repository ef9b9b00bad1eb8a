// Responses that are not files.
import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';

export function refuse(response: ServerResponse, status: number, headers: OutgoingHttpHeaders = {}): void {
  answer(response, status, `${STATUS_CODES[status]}\n`, { 'Content-Type': 'text/plain; charset=utf-8', ...headers });
}

/** Node itself omits the body for HEAD. */
export function answer(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: OutgoingHttpHeaders,
): void {
  // A response that has begun is aborted, so that the client does not take it for complete.
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

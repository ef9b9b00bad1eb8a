// One HTTP/2 session with the interface of an HTTP/1 connection; several requests may be under way in it.
import { connect, constants } from 'node:http2';
import { judge, kindOfEnd, timeout } from './failures.mjs';
import { whenOverdue } from './overdue.mjs';

export class Http2Connection {
  #session;
  #error;
  openedAt = Date.now();
  localPort;

  constructor({ ca, host, port }) {
    this.#session = connect(`${ca ? 'https' : 'http'}://${host}:${port}`, ca ? { ca, servername: 'localhost' } : {});
    this.#session.on('connect', (_session, socket) => {
      this.localPort = socket.localPort;
    });
    this.#session.on('error', (error) => {
      this.#error = error;
    });
  }

  /** After GOAWAY no request is begun here; those under way go on. */
  get usable() {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** Resolves with `{}` or with what went wrong; never rejects. */
  request(path, body) {
    if (!this.usable) return Promise.resolve({ kind: 'unprocessed' });
    const stream = this.#session.request({ ':path': path, ':method': body ? 'POST' : 'GET' });
    const seen = { status: 0, body: '', whole: false, error: undefined };
    return new Promise((resolve) => {
      // Being connected counts: only then the request leaves.
      const progress = () => (this.#session.connecting ? 0 : 1) + seen.status + seen.body.length;
      const cancel = whenOverdue(timeout, progress, () => this.#hang(resolve));
      this.#collect(stream, seen, (answer) => {
        cancel();
        resolve(answer.kind ? answer : judge(answer, path, body?.length ?? 0));
      });
      stream.end(body);
    });
  }

  close() {
    // A session that still has streams must not be cut: the other requests in it would look lost.
    this.#session.close();
  }

  #hang(resolve) {
    resolve({ kind: 'hung' });
    this.#session.destroy();
  }

  #collect(stream, seen, settle) {
    stream.setEncoding('latin1');
    stream.on('response', (headers) => {
      seen.status = headers[':status'];
    });
    stream.on('data', (chunk) => {
      seen.body += chunk;
    });
    stream.on('end', () => {
      seen.whole = true;
    });
    stream.on('error', (error) => {
      seen.error = error;
    });
    stream.on('close', () => settle(this.#verdict(stream, seen)));
  }

  #verdict(stream, { status, body, whole, error }) {
    if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) return { kind: 'unprocessed' };
    if (whole && status && !error) return { status, body };
    const cause = this.#error ?? error?.cause ?? error;
    return { kind: kindOfEnd(cause), detail: cause?.code ?? `code ${stream.rstCode}`, bytes: body.length };
  }
}

// The words for what can happen to a request. `unprocessed` is not a failure: HTTP/2 says that the server did not
// touch the stream and that it is safe to ask again (RFC 9113, 6.8); the client does, and counts it apart.
export const kinds = ['refused', 'reset', 'hung', 'cut short', 'wrong', 'other'];

/** A request that has no answer after this time hangs. */
export const timeout = 5000;

const words = {
  ECONNREFUSED: 'refused',
  ENOENT: 'refused',
  EAGAIN: 'refused', // a Unix socket whose queue is full
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ERR_HTTP2_SESSION_ERROR: 'reset',
  ERR_HTTP2_STREAM_ERROR: 'reset',
  ERR_HTTP2_STREAM_CANCEL: 'cut short', // what a stream gets when its connection was closed in order
};

/** Without an error the connection was closed in order, only too early. `other`: look at the detail, often the client. */
export function kindOfEnd(error) {
  if (!error) return 'cut short';
  return words[error.code] ?? 'other';
}

/** An answer must be the one to this request, of all its bytes. */
export function judge({ status, body }, path, sent) {
  if (status === 200 && body === `hello ${path} ${sent}\n`) return {};
  return { kind: 'wrong', detail: `${status} ${JSON.stringify(body.slice(0, 60))}` };
}

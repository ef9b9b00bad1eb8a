// Reads one HTTP/1 response out of the bytes received so far. Strict: what it does not know is a wrong answer.

/**
 * `undefined` while the response is not whole; else its status, body, whether the server will close, and for how many
 * seconds it promises not to.
 */
export function parseAnswer(bytes) {
  const split = bytes.indexOf('\r\n\r\n');
  if (split < 0) return undefined;
  const head = bytes.toString('latin1', 0, split);
  const rest = bytes.subarray(split + 4);
  const body = /\r\ntransfer-encoding: chunked/i.test(head) ? chunked(rest) : measured(head, rest);
  if (body === undefined) return undefined;
  const hint = Number(/\r\nkeep-alive: timeout=(\d+)/i.exec(head)?.[1] ?? Number.POSITIVE_INFINITY);
  return { status: Number(head.slice(9, 12)), body, closing: /\r\nconnection: close/i.test(head), hint };
}

/** What comes after the announced length stays in the body: it was not asked for, so the answer is wrong. */
function measured(head, rest) {
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  if (Number.isNaN(length)) return 'neither content-length nor chunks';
  return rest.length < length ? undefined : rest.toString('latin1');
}

function chunked(rest) {
  let body = '';
  let at = 0;
  for (;;) {
    const line = rest.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(rest.toString('latin1', at, line), 16);
    if (rest.length < line + 2 + size + 2) return undefined;
    body += rest.toString('latin1', line + 2, line + 2 + size);
    at = line + 2 + size + 2;
    if (size === 0) return body + rest.toString('latin1', at);
  }
}

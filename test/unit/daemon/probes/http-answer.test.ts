import { describe, expect, it } from 'vitest';
import { HttpAnswer } from '../../../../src/daemon/probes/http.ts';

/** The status, or what was wrong; `...` if there is more to come. Then the server closes the connection. */
function answerIn(text: string, size = text.length): { open: string; closed: string } {
  const answer = new HttpAnswer();
  const attempt = (read: () => number | undefined) => {
    try {
      return String(read() ?? '...');
    } catch (error) {
      return (error as Error).message;
    }
  };
  let open = '...';
  for (let at = 0; at < text.length && open === '...'; at += size)
    open = attempt(() => answer.read(Buffer.from(text.slice(at, at + size))));
  return { open, closed: open === '...' ? attempt(() => answer.end()) : open };
}

describe('an answer', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', '200', '200'],
    ['HTTP/1.0 500\r\n\r\n', '...', '500'],
    ['HTTP/1.1 200 OK\r\n\r\nuntil the end', '...', '200'],
    ['HTTP/1.1 204 No Content\r\n\r\n', '204', '204'],
    ['HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n', '302', '302'],
    ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n', '503', '503'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', '...', 'its answer broke off after 4 of 10 bytes'],
    ['HTTP/1.1 200 OK\r\nContent-Le', '...', 'its answer broke off in the headers'],
    ['', '...', 'it closed the connection without an answer'],
    ['SSH-2.0-OpenSSH', 'what it answered is not HTTP', 'what it answered is not HTTP'],
    ['HTTP/1.1 abc\r\n\r\n', 'what it answered is not HTTP', 'what it answered is not HTTP'],
  ])('is read: %j', (text, open, closed) => {
    expect(answerIn(text)).toEqual({ open, closed });
    expect(answerIn(text, 1)).toEqual({ open, closed });
  });

  it('counts as complete once it is long enough, even without an end', () => {
    expect(answerIn(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(20_000)}`, 1_000).open).toBe('200');
    expect(answerIn(`HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n${'x'.repeat(20_000)}`).open).toBe('200');
  });

  it('is rejected if its headers are too long', () => {
    const endless = `HTTP/1.1 200 OK\r\n${'X-More: x\r\n'.repeat(3_000)}`;
    for (const size of [100, endless.length])
      expect(answerIn(endless, size).open).toBe('the headers of its answer are longer than 16 kB');
  });
});

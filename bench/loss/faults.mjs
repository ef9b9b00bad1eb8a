// Servers that fail on purpose and count how often: on every 50th request, in one way. For check.mjs.
import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';

const every = 50;

/** Each does to one response what the client must call by the name `kind`. */
export const faults = {
  reset: { kind: 'reset', inject: ({ response }) => response.socket.resetAndDestroy() },
  hang: { kind: 'hung', inject: () => {} },
  close: { kind: 'cut short', inject: ({ response }) => response.socket.end() },
  half: {
    kind: 'cut short',
    inject({ response }) {
      response.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhello');
    },
  },
  'half a chunk': {
    kind: 'cut short',
    inject: ({ response }) => response.write('hello', () => response.socket.end()),
  },
  'other answer': { kind: 'wrong', inject: ({ response }) => response.end('hello /0 0\n') },
  unavailable: {
    kind: 'wrong',
    inject: ({ response, right }) => response.writeHead(503, { 'content-length': right.length }).end(right),
  },
  'two answers': {
    kind: 'wrong',
    inject: ({ response, right }) =>
      response.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${right.length}\r\n\r\n${right}${right}`),
  },
};

export const http2Faults = {
  'reset stream': { kind: 'reset', inject: ({ response }) => response.stream.close(2) },
  'closed session': { kind: 'cut short', inject: ({ response }) => response.stream.session.destroy() },
  'hanging stream': { kind: 'hung', inject: () => {} },
  'wrong stream': { kind: 'wrong', inject: ({ response }) => response.end('hello /0 0\n') },
  'refused stream': { kind: 'retried', inject: ({ response }) => response.stream.close(7) },
};

export const none = { inject: ({ response, right }) => response.end(right) };

/** Resolves with the port, the number of faults so far, and close(). `only`: the one request that fails. */
export async function faultyServer({ inject, only }, http2 = false) {
  const seen = { requests: 0, faults: 0 };
  const server = (http2 ? createHttp2 : createHttp)((request, response) => {
    seen.requests += 1;
    let bytes = 0;
    request.on('error', () => {});
    request.on('data', (chunk) => {
      bytes += chunk.length;
    });
    const faulty = only ? seen.requests === only : seen.requests % every === 0;
    if (faulty) seen.faults += 1;
    request.on('end', () => {
      const right = `hello ${request.url} ${bytes}\n`;
      if (faulty) inject({ response, right });
      else response.end(right);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { seen, target: { host: '127.0.0.1', port: server.address().port }, close: () => server.close() };
}

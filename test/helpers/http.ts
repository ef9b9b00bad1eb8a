// A small client that says what became of a request.
import { connect } from 'node:net';
import { eventually, sees } from './eventually.ts';

export { freePort } from './ports.ts';

export type Answer = { ok: true; body: string } | { ok: false; why: string };

interface Asking {
  path?: string;
  /** Milliseconds. */
  timeout?: number;
  /** The address of the client. */
  from?: string | undefined;
}

/** One request on a connection of its own; `why` tells refused, reset, hung and cut short apart. */
export function ask(target: number | string, { path = '/', timeout = 30_000, from }: Asking = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const place = { port: Number(target), host: '127.0.0.1', ...(from !== undefined && { localAddress: from }) };
    const socket = typeof target === 'number' ? connect(place) : connect(target);
    let text = '';
    const settle = (answer: Answer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => settle({ ok: false, why: 'hung' }), timeout);
    socket.on('connect', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`));
    socket.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => settle({ ok: false, why: error.code ?? error.message }));
    socket.on('end', () => {
      const [head, ...body] = text.split('\r\n\r\n');
      settle(
        head?.startsWith('HTTP/1.1 200')
          ? { ok: true, body: unchunked(head, body.join('\r\n\r\n')) }
          : { ok: false, why: `cut short: ${text}` },
      );
    });
  });
}

function unchunked(head: string, body: string): string {
  if (!/transfer-encoding: chunked/i.test(head)) return body;
  return body.replace(/^[\da-f]+\r\n/i, '').replace(/\r\n0\r\n\r\n$/, '');
}

/** Asks until `count` different ones have answered. Resolves with their answers. */
export function answersOf(target: number | string, count: number): Promise<Set<string>> {
  const seen = new Set<string>();
  return eventually(async () => {
    for (const body of await bodies(target, 20)) seen.add(body);
    return sees('answers', seen).size >= count && seen;
  }, `${count} different answers`);
}

/** The bodies of `count` requests, each on its own connection. */
export async function bodies(target: number | string, count: number): Promise<string[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => ask(target)));
  return answers.map((answer) => (answer.ok ? answer.body.trim() : answer.why));
}

// Answers over HTTP those who ask nsv how its apps are: kubelet, Docker, a load balancer. Load this file with `import()` when
// that is wanted: Node's `http` costs 0.5 to 2 MB of memory.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { isAppReady, isHealthReady } from '../../client/health.ts';
import type { HealthView } from '../../ipc/views.ts';
import { realClock } from '../../shared/clock.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';

export interface HealthOptions {
  port: number;
  /** Default: every address, because probes come from outside the container. */
  host?: string;
  /** Called for each request. If it rejects, the answer is 503, with the reason. */
  look(): HealthView | Promise<HealthView>;
  /** Called when a connection could not be accepted for lack of descriptors. */
  onError?(error: Error): void;
  /** Default for each limit: `probeLimits`. */
  limits?: Partial<ProbeLimits>;
}

/** What all clients together may use. */
export interface ProbeLimits {
  /** Above this number, the oldest connection is closed. */
  connections: number;
  /** Milliseconds after which a connection is closed, whatever it is doing. */
  time: number;
  /** Bytes of the request's head. */
  head: number;
}

export type HealthServer = Awaited<ReturnType<typeof startHealth>>;

export const probeLimits: ProbeLimits = { connections: 128, time: 5_000, head: 4_096 };

const questions = new Map<string, (health: HealthView) => boolean>([
  ['/live', ({ live }) => live],
  ['/startup', ({ started }) => started],
  ['/ready', isHealthReady],
  ['/health', isHealthReady],
]);
const known = [...questions.keys(), '/ready/<app>'].join(', ');

/** Throws CANNOT_LISTEN. */
export async function startHealth(options: HealthOptions) {
  const { port, host, look, onError } = options;
  const limits = { ...probeLimits, ...options.limits };
  const server = createServer({ maxHeaderSize: limits.head }, (request, response) => {
    replyTo(request, look)
      .catch((error): Reply => ({ code: 503, body: { error: detailOf(error) } }))
      .then((reply) => send(response, reply))
      .catch(throwUncaught);
  });
  limit(server, limits);
  await listening(server, port, host);
  server.on('error', (error) => onError?.(error));
  return {
    port: (server.address() as AddressInfo).port,
    /** Closes every connection. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Reply {
  code: number;
  body: object;
  headers?: Record<string, string>;
}

async function replyTo({ method, url = '' }: IncomingMessage, look: HealthOptions['look']): Promise<Reply> {
  const [path = ''] = url.split('?', 1);
  const isGood = questions.get(path);
  const app = isGood ? undefined : appIn(path);
  if (!isGood && app === undefined) return { code: 404, body: { error: `not found; the probes are ${known}` } };
  if (method !== 'GET' && method !== 'HEAD') {
    return { code: 405, body: { error: `method ${method} is not allowed` }, headers: { Allow: 'GET, HEAD' } };
  }
  const health = await look();
  if (isGood) return { code: isGood(health) ? 200 : 503, body: health };
  const found = health.apps.find(({ name }) => name === app);
  if (!found) return { code: 404, body: { error: `there is no app "${app}"` } };
  return { code: health.status !== 'stopping' && isAppReady(found) ? 200 : 503, body: { ...health, apps: [found] } };
}

/** The app in `/ready/<app>`. */
function appIn(path: string): string | undefined {
  const encoded = /^\/ready\/([^/]+)$/.exec(path)?.[1];
  try {
    return encoded && decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Sends one answer per connection, so that a connection's whole life can be limited. */
function send(response: ServerResponse, { code, body, headers }: Reply): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(code, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...headers,
  });
  response.end(text);
}

/**
 * Always admits the newest connection, so that idle clients cannot lock out the one probe that decides about the
 * container. Node's own timeouts count each part of a request, and are checked only now and then.
 */
function limit(server: Server, { connections, time }: ProbeLimits): void {
  /** Ordered by age, the oldest first. */
  const open = new Set<Socket>();
  const close = (socket: Socket) => {
    open.delete(socket);
    socket.destroy();
  };
  server.on('connection', (socket) => {
    open.add(socket);
    const cancel = realClock.after(time, () => close(socket));
    socket.on('close', () => {
      cancel();
      open.delete(socket);
    });
    const [oldest] = open;
    if (open.size > connections && oldest) close(oldest);
  });
}

async function listening(server: Server, port: number, host: string | undefined): Promise<void> {
  server.listen({ port, ...(host !== undefined && { host }) });
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw failure(
      'CANNOT_LISTEN',
      { address: `${host === undefined ? '' : `${host}, `}port ${port} for probes`, detail: detailOf(cause) },
      { cause },
    );
  }
}

// HTTP probes for the supervisor of a container: kubelet, Docker, a load balancer. Load this file with `import()` when
// probes are enabled: Node's `http` costs 0.5 to 2 MB of memory.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { realClock } from '../../shared/clock.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import type { Registry } from '../apps/registry.ts';
import { type Health, healthOf, isReady } from './health-report.ts';
import { viewStanding } from './view.ts';

export interface HealthOptions {
  /** Listens on every address, because probes come from outside the container. */
  port: number;
  registry: Registry;
  /** Whether all apps are being stopped for good. */
  isStopping(): boolean;
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

export interface HealthServer {
  port: number;
  /** Closes every connection. */
  close(): Promise<void>;
}

export const probeLimits: ProbeLimits = { connections: 128, time: 5_000, head: 4_096 };

const probes = new Map<string | undefined, (health: Health) => boolean>([
  ['/live', () => true],
  ['/ready', isReady],
  ['/health', isReady],
]);

/** Throws CANNOT_LISTEN. */
export async function startHealth(options: HealthOptions): Promise<HealthServer> {
  const { port, registry, isStopping, onError } = options;
  const limits = { ...probeLimits, ...options.limits };
  const look = () => healthOf(registry.groups.map(factsOf), isStopping());
  const server = createServer({ maxHeaderSize: limits.head }, (request, response) =>
    send(response, replyTo(request, look)),
  );
  limit(server, limits);
  await listening(server, port);
  server.on('error', (error) => onError?.(error));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function factsOf(group: Registry['groups'][number]) {
  return { name: group.name, processes: group.processes.map((process) => viewStanding(group, process)) };
}

interface Reply {
  code: number;
  body: object;
  headers?: Record<string, string>;
}

function replyTo({ method, url }: IncomingMessage, look: () => Health): Reply {
  const isGood = probes.get(url?.split('?', 1)[0]);
  if (!isGood) return { code: 404, body: { error: `not found; the probes are ${[...probes.keys()].join(', ')}` } };
  if (method !== 'GET' && method !== 'HEAD') {
    return { code: 405, body: { error: `method ${method} is not allowed` }, headers: { Allow: 'GET, HEAD' } };
  }
  const health = look();
  return { code: isGood(health) ? 200 : 503, body: health };
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
  const dismiss = (socket: Socket) => {
    open.delete(socket);
    socket.destroy();
  };
  server.on('connection', (socket) => {
    open.add(socket);
    const cancel = realClock.after(time, () => dismiss(socket));
    socket.on('close', () => {
      cancel();
      open.delete(socket);
    });
    const [oldest] = open;
    if (open.size > connections && oldest) dismiss(oldest);
  });
}

async function listening(server: Server, port: number): Promise<void> {
  server.listen(port);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw failure('CANNOT_LISTEN', { address: `port ${port} for probes`, detail: detailOf(cause) }, { cause });
  }
}

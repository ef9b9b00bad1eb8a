// A collector of OpenTelemetry: takes what apps export as `http/json`, and keeps the spans.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Span {
  name: string;
  /** 2 is that of a request to a server. */
  kind: number;
}

interface Traces {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}

export class Collector {
  readonly spans: Span[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await json(request);
      if (request.url === '/v1/traces') this.#take(body as Traces);
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  }

  static async create(): Promise<Collector> {
    const collector = new Collector();
    await once(collector.#server.listen(0, '127.0.0.1'), 'listening');
    return collector;
  }

  /** What an app needs to find it. */
  get env(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      // More than a test asks: what does not fit is dropped.
      OTEL_BSP_MAX_QUEUE_SIZE: '1000000',
    };
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #take({ resourceSpans }: Traces): void {
    for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) this.spans.push(...spans);
  }
}

// Takes whatever an app with OpenTelemetry reports: in a thread, because commands that stop the app may block this one.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

if (!isMainThread) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('Content-Type', 'application/json').end('{}'));
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
}

/** `env`: what the app needs to find it. */
export async function startCollector() {
  const thread = new Worker(new URL(import.meta.url));
  const [port] = await once(thread, 'message');
  return {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
    close: () => thread.terminate(),
  };
}

// The server with everything that `nsv/app` has. The metrics are used with each request.
import { broadcast, createWatchdogTimer, instances, metric, onMessage, onShutdown, ready, settings } from 'nsv/app';
import { onServed } from './server.mjs';

const requests = metric.counter('requests_total');
const sizes = metric.histogram('response_bytes', { unit: 'bytes', buckets: [10, 100, 1_000] });
onServed(() => {
  requests.add();
  sizes.record(6);
});
createWatchdogTimer({ timeout: 60_000, onTimeout: () => {} });
onShutdown(() => {});
onMessage(() => {});
settings.on('change', () => {});
settings.check(() => true);
ready();
await Promise.all([broadcast('hello'), instances()]);

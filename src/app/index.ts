// What an app imports as `nsv/app`. The types are in app/index.d.cts, the page is docs/app.md. Importing it starts nothing.
export { broadcast, onMessage } from './broadcast.ts';
export { instances } from './daemon.ts';
export { instance } from './instance.ts';
export { createLightship } from './lightship.ts';
export { metric } from './metric.ts';
export { isReady, notReady, ready, whenReady } from './readiness.ts';
export { settings } from './settings.ts';
export { beacon, isShuttingDown, onShutdown, setShutdownTimeout, shutdown, shutdownSignal } from './shutdown.ts';
export { createWatchdogTimer } from './watchdog-timer.ts';

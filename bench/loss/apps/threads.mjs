// Has its server in a worker thread.
import { isMainThread, Worker } from 'node:worker_threads';

if (isMainThread) new Worker(new URL(import.meta.url));
else await import('./http.mjs');

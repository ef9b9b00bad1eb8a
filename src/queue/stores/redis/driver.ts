// BullMQ, if the user has installed it, with ioredis: that is the client that BullMQ makes of a URL or of options, and its options (those of
// Sentinel, TLS and ACL among them) are those that BullMQ documents. For node-redis and others BullMQ needs a client that is already made; who
// passes one does not need ioredis.
import { createRequire } from 'node:module';
import type * as BullMQ from 'bullmq';
import { queueError } from '../../errors.ts';

export type Library = typeof BullMQ;

/** Throws NSV_NO_REDIS. `makesClient`: whether BullMQ has to make a client itself. */
export function loadLibrary(makesClient: boolean): Library {
  const require = createRequire(import.meta.filename);
  const library = installed('bullmq', () => require('bullmq') as Library);
  // Looked for where BullMQ will look.
  if (makesClient) installed('ioredis', () => createRequire(require.resolve('bullmq')).resolve('ioredis'));
  return library;
}

function installed<T>(name: string, load: () => T): T {
  try {
    return load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = code === 'MODULE_NOT_FOUND' && message.includes(`'${name}'`);
    const what = isMissing ? `is not installed` : `cannot be loaded: ${message}`;
    const advice = 'run "npm install bullmq ioredis", or use another store';
    throw queueError('NSV_NO_REDIS', `redisStore needs the package "${name}", which ${what}; ${advice}`, error);
  }
}

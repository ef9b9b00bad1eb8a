// What this process is called in a store.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { shared } from '../app/shared.ts';

/** Of this process alone: process ids come back, and containers share them. Who claims adds a number of its own. */
export const owner = shared('queue owner', () => randomUUID());

/** For people. */
export const worker = `${hostname()}:${process.pid}`;

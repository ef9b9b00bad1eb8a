// Starts a child process, or says why it cannot be started.
import { spawn } from 'node:child_process';
import { hasDescriptors } from './descriptors.ts';

/**
 * Like `spawn` of Node, but throws when there are too few descriptors. When there are none at all, Node returns a child without
 * streams, although its types promise them, and emits an 'error' event a moment later:
 * https://github.com/nodejs/node/blob/v24.0.0/lib/internal/child_process.js#L419
 */
export const spawnChild = ((...words: Parameters<typeof spawn>) => {
  if (!hasDescriptors()) throw tooMany();
  const child = spawn(...words);
  if (child.stdio !== undefined) return child;
  child.on('error', () => {});
  throw tooMany();
}) as typeof spawn;

function tooMany(): Error {
  return Object.assign(new Error('too many open files (EMFILE)'), { code: 'EMFILE' });
}

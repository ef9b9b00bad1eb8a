// Tells the user's own code from Node's, that of packages, and nsv's.
import { sep } from 'node:path';
import { installed } from '../paths.ts';
import { isInCopy } from './own-copy.ts';

/** `file`: as a stack has it, a path, a URL, or a name such as `node:net`. */
export function isOwnCode(file: string): boolean {
  if (file === '' || /^(node|evalmachine|internal)\b|^ext:|^</.test(file)) return false;
  return !/[\\/]node_modules[\\/]/.test(file) && !isNsvCode(file);
}

export function isNsvCode(file: string): boolean {
  return file.includes(installed.bundles + sep) || isInCopy(file);
}

/** What nsv loads into Node programs. */
export function isWorkerCode(file: string): boolean {
  return isNsvCode(file) && /[\\/]dist[\\/]worker[\\/]/.test(file);
}

// Finds the package that a directory belongs to.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The nearest package.json from this directory upwards, as Node finds it; empty if there is none or it is unreadable.
 */
export function nearestPackage(directory: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    return typeof found === 'object' && found !== null ? { ...found } : {};
  } catch {
    const parent = dirname(directory);
    return parent === directory ? {} : nearestPackage(parent);
  }
}

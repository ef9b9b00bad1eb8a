// Renders a config file as one would write it by hand, and writes it where the user wants it.
import { writeFileSync } from 'node:fs';
import { errnoOf } from '../../shared/errno.ts';
import { failure } from '../../shared/errors.ts';
import { writing } from '../inspect/new-file.ts';

export function configText(apps: readonly object[]): string {
  return `// Written by "nsv import-pm2".\nmodule.exports = ${literal({ apps }, '')};\n`;
}

function literal(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, inner));
    const isShort = value.every((item) => typeof item !== 'object');
    return isShort ? `[${items.join(', ')}]` : `[\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const lines = Object.entries(value).map(([key, item]) => `${inner}${property(key)}: ${literal(item, inner)},\n`);
  return `{\n${lines.join('')}${indent}}`;
}

/** A literal `__proto__` key would set the prototype. */
function property(key: string): string {
  if (key === '__proto__') return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

/** Throws FILE_EXISTS, CANNOT_WRITE. `mode`: of a new file. Default: as the umask has it. */
export function writeConfig(
  file: string,
  text: string,
  { force, mode = 0o666 }: { force: boolean; mode?: number },
): void {
  // Exclusive: it follows no link, open(2).
  const flag = force ? 'w' : 'wx';
  try {
    writing(file, () => writeFileSync(file, text, { mode, flag }));
  } catch (error) {
    if (errnoOf((error as Error).cause) === 'EEXIST') throw failure('FILE_EXISTS', { file });
    throw error;
  }
}

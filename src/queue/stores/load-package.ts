// Packages that the user may have installed.
import { join } from 'node:path';

/**
 * Undefined if it is not installed. It is looked for from here, from the program and from the working directory: a bundler may have put this code into
 * another file. And it is hidden from bundlers, which fail if it is not installed.
 */
export function loadPackage(name: string): unknown {
  const { createRequire } = process.getBuiltinModule('node:module');
  const places = [import.meta.filename, process.argv[1], join(process.cwd(), 'program.js')];
  for (const place of places.filter((known) => known !== undefined)) {
    const require = createRequire(place);
    const found = resolved(require, name);
    if (found !== undefined) return require(found);
  }
  return undefined;
}

function resolved(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

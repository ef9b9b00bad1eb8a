// Stacks of bundles, with the lines of the sources: `src/daemon/main.ts:57` for `<nsv>/dist/daemon/main.js:9:8234`.
//
// A source map is read here, when something has failed, and not kept. Node's own support (--enable-source-maps) reads each map as
// its file is loaded, which `nsv list` and the memory of the daemon would pay for.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { installed } from './paths.ts';

const bundles = `${installed.bundles}/`;

/** The maps know no columns. A place that has no map stays as it is. */
export function withSourceLines(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (file: string) => {
    if (!maps.has(file)) maps.set(file, readMap(file));
    return maps.get(file);
  };
  const [head = '', ...rest] = stack.split(bundles);
  return head + rest.map((text) => mapped(text, mapOf) ?? bundles + text).join('');
}

/** The text begins with a place, such as `daemon/main.js:9:8234`. */
function mapped(text: string, mapOf: (file: string) => SourceMap | undefined): string | undefined {
  const [place, file, line, column] = /^([\w/-]+\.js):(\d+):(\d+)/.exec(text) ?? [];
  if (!place || !file) return undefined;
  const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!entry || !('originalSource' in entry)) return undefined;
  const { originalSource, originalLine } = entry;
  // Relative to the bundle.
  const source = originalSource.replace(/^(\.\.\/)+/, '');
  return `${source}:${originalLine + 1}${text.slice(place.length)}`;
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${bundles}${file}.map`, 'utf8')));
  } catch {
    // Something else has failed, and is about to be told.
    return undefined;
  }
}

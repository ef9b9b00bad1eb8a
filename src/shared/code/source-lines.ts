// Maps positions in bundles to source lines: `<nsv>/dist/daemon/main.js:9:8234` becomes `src/daemon/main.ts:57`.
//
// Source maps are read only when an error is reported, and not kept. Node's own support (--enable-source-maps) reads
// each map when its file is loaded, which would slow down `nsv list` and cost the daemon memory.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { installed } from '../paths.ts';

const bundles = `${installed.bundles}/`;

/** Maps all positions in a stack. Columns are dropped, and positions without a map stay as they are. */
export function withSourceLines(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (file: string) => {
    if (!maps.has(file)) maps.set(file, readMap(file));
    return maps.get(file);
  };
  const [head = '', ...rest] = stack.split(bundles);
  return head + rest.map((text) => mapped(text, mapOf) ?? bundles + text).join('');
}

/** Maps a text that begins with a position, such as `daemon/main.js:9:8234`. */
function mapped(text: string, mapOf: (file: string) => SourceMap | undefined): string | undefined {
  const [place, file, line, column] = /^([\w/-]+\.js):(\d+):(\d+)/.exec(text) ?? [];
  if (!place || !file) return undefined;
  const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!entry || !('originalSource' in entry)) return undefined;
  const { originalSource, originalLine } = entry;
  // The path is relative to the bundle.
  const source = originalSource.replace(/^(\.\.\/)+/, '');
  return `${source}:${originalLine + 1}${text.slice(place.length)}`;
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${bundles}${file}.map`, 'utf8')));
  } catch {
    // A missing map must not hide the original error.
    return undefined;
  }
}

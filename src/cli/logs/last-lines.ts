// Finds the last lines of a file by reading backwards from its end, so that huge files open at once.
import { blockSize, blocksOf, readAt } from './blocks.ts';
import { longestShownLine } from './splitter.ts';

export interface LastLines {
  /** The position of the first of them. */
  from: number;
  /** The number of whole lines from there. */
  count: number;
}

const newline = 0x0a;

/**
 * At most `count` whole lines before `end`, and a partial line at the end. Stops after 32 MB of a single line, so that
 * an endless line does not make nsv read the whole file.
 */
export function lastLines(fd: number, end: number, count: number): LastLines {
  let breaks = 0;
  let lineEnd = end;
  for (let start = end; start > 0; ) {
    const size = Math.min(blockSize, start);
    start -= size;
    const bytes = readAt(fd, start, size);
    for (let at = bytes.lastIndexOf(newline); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(newline, at - 1)) {
      lineEnd = start + at;
      if (breaks === count) return { from: lineEnd + 1, count };
      breaks += 1;
    }
    if (lineEnd - start >= longestShownLine) return { from: start, count };
  }
  return { from: 0, count: breaks };
}

/** Like `lastLines`, but for a compressed file, which must be read from its beginning. */
export async function lastLinesOfCompressed(file: string, count: number): Promise<LastLines> {
  const starts = [0];
  let position = 0;
  for await (const bytes of blocksOf(file, 0)) {
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1))
      starts.push(position + at + 1);
    if (starts.length > 2 * count + 2) starts.splice(0, starts.length - count - 1);
    position += bytes.length;
  }
  const kept = starts.slice(-count - 1);
  return { from: kept[0]!, count: kept.length - 1 };
}

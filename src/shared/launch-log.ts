// The output of a daemon that failed to start.
import { readFileSync } from 'node:fs';

/** Number of lines shown as the reason. */
const shownLines = 15;

/** Takes the line that names an error as the reason. Node prints the source position above it and its version below, nsv what to do. */
export function lastWords(log: string): { reason: string | undefined; output: string[] } {
  const lines = linesOf(log);
  const ours = lines.findIndex((line) => line.startsWith('nsv: '));
  if (ours >= 0) return { reason: lines[ours]!.slice(5), output: lines.slice(ours + 1, ours + shownLines) };
  const at = lines.findIndex((line) => /^\w*Error\b.*:/.test(line));
  if (at < 0) return { reason: lines.at(-1), output: lines.slice(-shownLines) };
  return { reason: lines[at], output: lines.slice(at, at + shownLines) };
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
  } catch {
    return [];
  }
}

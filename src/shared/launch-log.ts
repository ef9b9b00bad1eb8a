// What a daemon printed that did not come to serve.
import { readFileSync } from 'node:fs';

/** How many lines tell why. */
const shownLines = 15;

/** The reason is the line that names an error; Node prints the place in the source above it, and its own version below. */
export function lastWords(log: string): { reason: string | undefined; output: string[] } {
  const lines = linesOf(log);
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

// Finds the error in what a program has printed before it ended. Pure.
import type { DeathFrame } from '../../../ipc/records/deaths.ts';

export interface PrintedError {
  /** One line: `Error: listen EADDRINUSE: address already in use :::3000`. */
  headline: string;
  /** Innermost call first. */
  frames: DeathFrame[];
  /** Whether Node has printed it because nothing had caught it. */
  isFatal: boolean;
}

const mostFrames = 20;
const longestText = 300;

/** The first line of an error: `TypeError: ...`, `Error [ERR_MODULE_NOT_FOUND]: ...`. */
const named = /^\S*(Error|Exception)\b/;
/** A line of a stack. */
const call = /^\s+at \S/;
/** `    at run (/app/web.js:3:9)` and `    at async /app/web.js:3:9`; not `    at new Promise (<anonymous>)`. */
const position = /^\s+at (?:async )?(?:(.+?) \((.+):(\d+):(\d+)\)|(.+?):(\d+):(\d+))(?: \{)?$/;
/** Node underlines where an error was thrown. */
const caret = /^\s*\^+$/;
/** Lines of the source that it shows there: one of JavaScript, several of TypeScript. */
const mostSource = 10;
/** What stands above them: the file, and the line of its source. Not a comment in that source: `// as in :3000`. */
const site = /^(\/(?![/*]).+|file:\/\/.+|node:.+):(\d+)$/;
/** Stacks that belong to another error: where its event was emitted, and its cause. */
const notOwn = /^(Emitted '|Caused by: |\s)/;
/** What Deno says about an error. The source follows, underlined, then the calls. */
const ofDeno = /^error: /;

/** What nsv's preload prints of an error, instead of the caret. */
const uncaught = /^Uncaught /;
/** Node's version, below the error that has ended the process. */
const version = /^Node\.js v\d/;

/** V8's last words. The stack below them is one of machine code. */
const heap =
  /^(?:FATAL ERROR: .*(?:heap out of memory|Allocation failed).*|#? ?Fatal (?:JavaScript|process) out of memory.*)$/;

/** The line by which V8 says that its heap is full; undefined if it has not said so. */
export function heapExhaustedIn(lines: readonly string[]): string | undefined {
  return lines
    .findLast((line) => heap.test(line.trim()))
    ?.trim()
    .slice(0, longestText);
}

/** The last error in the lines; undefined if there is none. */
export function errorIn(lines: readonly string[]): PrintedError | undefined {
  const underlined = lines.findLastIndex((line) => caret.test(line));
  return (underlined > 0 ? fatalAt(lines, underlined) : undefined) ?? aboveVersion(lines) ?? lastStackIn(lines);
}

/** As nsv's preload prints it. An app may begin a line with that word, too, but does not print the version. */
function aboveVersion(lines: readonly string[]): PrintedError | undefined {
  const above = lines.slice(
    0,
    Math.max(
      0,
      lines.findLastIndex((line) => version.test(line)),
    ),
  );
  const at = above.findLastIndex((line) => uncaught.test(line));
  if (at < 0) return undefined;
  return { headline: oneLine(above[at]!), frames: framesFrom(above, at + 1), isFatal: true };
}

/** As Node prints it: the place, the source line, the caret, the error. */
function fatalAt(lines: readonly string[], underlined: number): PrintedError | undefined {
  const headline = headlineBelow(lines.slice(underlined + 1));
  if (headline === undefined) return undefined;
  const frames = framesFrom(lines, underlined + 1);
  const above = lines.slice(Math.max(0, underlined - mostSource), underlined - 1);
  const [, file, line] = site.exec(above.findLast((text) => site.test(text)) ?? '') ?? [];
  // Of a syntax error, the stack has no frame in the file that has it.
  const isNamed = file === undefined || file.startsWith('node:') || frames.some(({ file: known }) => known === file);
  const place = isNamed ? [] : [{ function: '', file, line: Number(line), column: null }];
  return { headline: oneLine(headline), frames: [...place, ...frames], isFatal: true };
}

/** Of a mistake in TypeScript, Node prints more of the source first, below what it has underlined. */
function headlineBelow(lines: readonly string[]): string | undefined {
  const printed = lines.filter((line) => line.trim() !== '');
  const stack = printed.findIndex((line) => call.test(line));
  if (stack === 0) return undefined;
  return printed.slice(0, Math.max(0, stack)).find((line) => named.test(line)) ?? printed[0];
}

/** As a program prints it that has caught it, or another runtime with stacks like those of V8. */
function lastStackIn(lines: readonly string[]): PrintedError | undefined {
  for (let at = lines.length - 1; at > 0; at -= 1) {
    if (!call.test(lines[at]!) || call.test(lines[at - 1]!)) continue;
    const headline = headlineAbove(lines, at);
    if (headline === undefined) continue;
    return { headline: oneLine(headline), frames: framesFrom(lines, at), isFatal: /^error: Uncaught/.test(headline) };
  }
  return undefined;
}

/** A message may have several lines, the first of which has the name of the error. */
function headlineAbove(lines: readonly string[], at: number): string | undefined {
  const block = lines.slice(Math.max(0, at - 5), at);
  if (!notOwn.test(block.at(-1)!)) return block.findLast((line) => named.test(line)) ?? block.at(-1)!;
  return block.slice(block.findLastIndex((line) => call.test(line)) + 1).findLast((line) => ofDeno.test(line));
}

/** The first stack from there on. */
function framesFrom(lines: readonly string[], from: number): DeathFrame[] {
  const first = lines.findIndex((line, at) => at >= from && call.test(line));
  if (first < 0) return [];
  const end = lines.findIndex((line, at) => at > first && !call.test(line));
  return lines
    .slice(first, end < 0 ? undefined : end)
    .flatMap(frameOf)
    .slice(0, mostFrames);
}

function frameOf(text: string): DeathFrame[] {
  const found = position.exec(text);
  if (!found) return [];
  const [, name = '', inside, row, column, bare = '', bareRow, bareColumn] = found;
  const [line, at] = inside === undefined ? [bareRow, bareColumn] : [row, column];
  const file = (inside ?? bare).slice(0, longestText);
  return [{ function: name.slice(0, longestText), file, line: Number(line), column: Number(at) }];
}

function oneLine(text: string): string {
  return text
    .replace(/^(error: )?(Uncaught:? )?(\(in promise\) )?/, '')
    .replace(/ \{$/, '')
    .slice(0, longestText);
}

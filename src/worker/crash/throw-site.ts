// Finds where an error was thrown, and renders the source line with a caret below it, as Node prints it above the
// error.
//
// V8 reveals the position of the `throw` only to native code; the stack tells where the error was created. From there
// the source is searched for a `throw`: before the error on the same line, of its variable on a later line, or in a
// caller.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Frame {
  file: string;
  line: number;
  /** Counts from 0. */
  column: number;
}

/** Returns undefined if the source is not available. */
export function throwSiteOf(error: Error, fromPromise: boolean): string | undefined {
  const frames = framesOf(error.stack ?? '');
  const site = (fromPromise ? undefined : (inNode(error, frames) ?? thrownBy(frames))) ?? frames[0];
  return site && render(site);
}

function framesOf(stack: string): Frame[] {
  const frames: Frame[] = [];
  for (const [, file, line, column] of stack.matchAll(/^ {4}at (?:.*\()?(?:async )?(.+?):(\d+):(\d+)\)?$/gm)) {
    frames.push({ file: file!, line: Number(line), column: Number(column) - 1 });
  }
  return frames;
}

/** Errors that Node throws itself: their frames are hidden, or the error was created elsewhere. */
function inNode(error: Error & { code?: unknown }, [first]: Frame[]): Frame | undefined {
  const isEvent = Object.getOwnPropertySymbols(error).some((key) => key.description === 'kEnhanceStackBeforeInspector');
  if (isEvent) return find('node:events', /throw er; \/\//);
  if (error.code === 'ERR_UNHANDLED_ERROR') return first && after(first, /throw err?; \/\//);
  if (error.code === 'ERR_ASSERTION') return undefined;
  const isChecked = first?.file.startsWith('node:') && /^ERR_/.test(String(error.code)) && !hasWord(first, 'new');
  return isChecked ? find('node:internal/errors', /throw error;/) : undefined;
}

function thrownBy(frames: Frame[]): Frame | undefined {
  const [first] = frames;
  if (!first) return undefined;
  // Errors thrown by Node or V8 itself, such as for `undefined.x`, have no `new` there.
  if (!hasWord(first, 'new')) return onThrow(first);
  return onThrow(first) ?? ofVariable(first) ?? frames.slice(1).map(onThrow).find(Boolean);
}

/** Finds the `throw` whose expression creates the error. */
function onThrow(frame: Frame): Frame | undefined {
  const before = lineOf(frame)?.slice(0, frame.column) ?? '';
  const column = before.search(/\bthrow\b(?=[^;{}]*$)/);
  return column === -1 ? undefined : { ...frame, column };
}

function ofVariable(frame: Frame): Frame | undefined {
  const [, name] = /([\w$]+)\s*=\s*$/.exec(lineOf(frame)?.slice(0, frame.column) ?? '') ?? [];
  return name === undefined ? undefined : after(frame, new RegExp(`\\bthrow ${name.replaceAll('$', '\\$')}\\b`));
}

function after({ file, line }: Frame, pattern: RegExp): Frame | undefined {
  return find(file, pattern, line - 1);
}

function find(file: string, pattern: RegExp, from = 0): Frame | undefined {
  const lines = linesOf(file);
  const index = lines.findIndex((text, at) => at >= from && pattern.test(text));
  return index === -1 ? undefined : { file, line: index + 1, column: lines[index]!.search(pattern) };
}

function hasWord(frame: Frame, word: string): boolean {
  return lineOf(frame)?.startsWith(word, frame.column) ?? false;
}

function render(frame: Frame): string | undefined {
  const text = lineOf(frame);
  if (text === undefined) return undefined;
  // Keeps tabs, so that the caret lines up.
  const indent = text.slice(0, frame.column).replace(/[^\t]/g, ' ');
  return `${frame.file}:${frame.line}\n${text}\n${indent}^\n`;
}

function lineOf({ file, line }: Frame): string | undefined {
  return linesOf(file)[line - 1];
}

const sources = new Map<string, string[]>();

function linesOf(file: string): string[] {
  const known = sources.get(file) ?? read(file).split(/\r?\n/);
  sources.set(file, known);
  return known;
}

function read(file: string): string {
  try {
    if (file.startsWith('node:')) return builtin(file.slice('node:'.length));
    return readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8');
  } catch {
    return '';
  }
}

/** Reads a source file that is built into Node. There is no other way to get it. */
function builtin(id: string): string {
  const { binding } = process as typeof process & { binding(name: string): Record<string, string> };
  return binding('natives')[id] ?? '';
}

// Where an error was thrown, with the source line and a caret below it, as Node prints it above the error.
//
// V8 tells the place of the `throw` to native code only; the stack tells where the error was made. From there the
// source is read: `throw` before the error on its line, or of its variable on a later one, or in a caller.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Frame {
  file: string;
  line: number;
  /** From 0. */
  column: number;
}

/** Undefined where the source is not to be had. */
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

/** Thrown by Node for the app: its frames are hidden, or the error was made by somebody else. */
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
  // What Node or V8 itself throws, `undefined.x` for one, has no such word.
  if (!hasWord(first, 'new')) return onThrow(first);
  return onThrow(first) ?? ofVariable(first) ?? frames.slice(1).map(onThrow).find(Boolean);
}

/** The `throw` in whose expression the error is made. */
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
  // Tabs stay tabs, so that the caret stands where it should.
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

/** Node carries its own sources; this is the one way to them. */
function builtin(id: string): string {
  const { binding } = process as typeof process & { binding(name: string): Record<string, string> };
  return binding('natives')[id] ?? '';
}

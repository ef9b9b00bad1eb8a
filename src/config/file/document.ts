// Parses YAML and JSON with line numbers. One parser reads both, because JSON is a subset of YAML.
import type { Scalar } from 'yaml';
import { detailOf } from '../../shared/errors.ts';
import { type Path, Unreadable } from './mistakes.ts';

export interface Document {
  value: unknown;
  /** What was wrong, and did not matter. */
  notes?: string[];
  /** The line (from 1) of the value at a path, or of its nearest parent. */
  lineOf(path: Path): number | undefined;
}

export interface Format {
  /** JSON may contain comments and trailing commas, JSON5 names without quotes and single quotes, too. */
  kind: 'json' | 'json5' | 'yaml';
  /** Whether a key may be there twice. The last one counts, as in JavaScript. */
  allowsTwins: boolean;
}

/** Rejects with Unreadable. */
export async function readDocument(text: string, { kind, allowsTwins }: Format): Promise<Document> {
  const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(kind === 'yaml' ? text : withoutComments(text), { lineCounter, merge: true });
  const twins = document.errors.filter(({ code }) => allowsTwins && code === 'DUPLICATE_KEY');
  const error = document.errors.find((each) => !twins.includes(each));
  if (error) throw new Unreadable(error.message.split(' at line ', 1)[0]!, error.linePos?.[0].line);
  if (kind !== 'yaml') visit(document, { Scalar: expectJson, Alias: (_, { range }) => refuse('an alias', range) });

  /** What is text in YAML without quotes is a mistake in JSON, such as an expression in JavaScript. */
  function expectJson(key: number | 'key' | 'value' | null, { type, source = '', range }: Scalar): void {
    if (type === 'QUOTE_DOUBLE' || (kind === 'json5' && (key === 'key' || type === 'QUOTE_SINGLE'))) return;
    const literal = kind === 'json5' ? json5Literal : jsonLiteral;
    if (type !== 'PLAIN' || !literal.test(source)) refuse(source || 'nothing', range);
  }

  function refuse(what: string, range: readonly number[] | null | undefined): never {
    const reason = 'text needs double quotes, and expressions a config file in JavaScript';
    throw new Unreadable(`${what} is not JSON: ${reason}`, lineCounter.linePos(range?.[0] ?? 0).line);
  }

  function lineOf(path: Path): number | undefined {
    let node: unknown = document.contents;
    let offset = document.contents?.range?.[0];
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(document);
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
        if (!isScalar(pair?.key)) break;
        offset = pair.key.range?.[0] ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        const item = node.items[Number(step)];
        if (typeof item === 'object' && item !== null && 'range' in item)
          offset = (item.range as number[])[0] ?? offset;
        node = item;
      } else break;
    }
    return offset === undefined ? undefined : lineCounter.linePos(offset).line;
  }
  const notes = twins.map(({ linePos }) => `line ${linePos?.[0].line} has a key a second time; the last one counts`);
  return { value: toJs(() => document.toJS()), lineOf, notes };
}

const jsonLiteral = /^(?:null|true|false|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;
const json5Literal = /^(?:null|true|false|[+-]?(?:Infinity|0x[\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))$/i;

/** The parser reports an alias without its anchor only at this point, and an alias inside its own anchor not at all. */
function toJs(read: () => unknown): unknown {
  let value: unknown;
  try {
    value = read();
  } catch (error) {
    throw new Unreadable(detailOf(error));
  }
  expectEnd(value);
  return value;
}

/** Throws Unreadable if the value contains itself: whoever walks or prints it would never come to an end. */
function expectEnd(value: unknown, around = new Set<object>(), seen = new Set<object>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  if (around.has(value)) throw new Unreadable('an alias refers to what contains it');
  around.add(value);
  for (const inner of Object.values(value)) expectEnd(inner, around, seen);
  around.delete(value);
  seen.add(value);
}

/** Allows JavaScript comments in JSON. Replaces them with spaces to keep the line numbers. YAML needs a space after a colon. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\/\/[^\n]*|\/\*[\s\S]*?\*\/|:/g,
    (match, quoted?: string) => quoted ?? (match === ':' ? ': ' : match.replace(/[^\n]/g, ' ')),
  );
}

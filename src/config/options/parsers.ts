// Parsers for single settings, from a flag, a config file or the socket.
// A parser returns the value or throws a BadValue that says what was expected.
import { constants } from 'node:os';
import { parseDuration, parseSize } from '../../shared/units.ts';
import type { StopSignal } from '../stop-signal.ts';

export interface Parser<T> {
  (input: unknown): T;
  /** What it accepts in a config file, as a JSON Schema for editors. */
  takes?: JsonSchema;
}

/** The subset of JSON Schema (draft 7) used here. */
export interface JsonSchema {
  type?: JsonType | readonly JsonType[];
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
  properties?: Readonly<Record<string, JsonSchema>>;
}

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

export function taking<T>(takes: JsonSchema, parse: (input: unknown) => T): Parser<T> {
  return Object.assign(parse, { takes });
}

/** Thrown by a parser; its message completes "<option> ...". */
export class BadValue extends Error {}

function expected(what: string, input: unknown): never {
  throw new BadValue(`must be ${what}, not ${typeof input === 'number' ? input : JSON.stringify(input)}`);
}

export const text: Parser<string> = taking({ type: 'string' }, (input) => {
  if (typeof input === 'string' && input !== '' && !input.includes('\0')) return input;
  return expected('a non-empty string', input);
});

/** The name of an environment variable. */
export const variable: Parser<string> = taking({ type: 'string' }, (input) => {
  if (typeof input === 'string' && /^[A-Za-z_]\w*$/.test(input)) return input;
  return expected('the name of an environment variable', input);
});

export const booleanFlag: Parser<boolean> = taking({ type: 'boolean' }, (input) => {
  if (typeof input === 'boolean') return input;
  return expected('true or false', input);
});

/** Milliseconds, from a number or from text with a unit (500, "5s", "1m"). At most 24 days, Node's longest timer. */
export const duration: Parser<number> = taking({ type: ['number', 'string'] }, (input) => {
  const ms = typeof input === 'number' || typeof input === 'string' ? parseDuration(input) : undefined;
  if (ms !== undefined && ms <= 0x7fffffff) return ms;
  return expected('a duration such as 500, 5s or 1m', input);
});

/** A duration with a condition; `what` completes "must be". */
export function durationIf(isValid: (ms: number) => boolean, what: string): Parser<number> {
  return taking(duration.takes ?? {}, (input) => {
    const ms = duration(input);
    return isValid(ms) ? ms : expected(what, input);
  });
}

export const size: Parser<number> = taking({ type: ['number', 'string'] }, (input) => {
  const bytes = typeof input === 'number' || typeof input === 'string' ? parseSize(input) : undefined;
  if (bytes !== undefined && bytes > 0) return bytes;
  return expected('a size such as 300M or 1G', input);
});

/** Bytes; 0 for no limit. */
export const sizeOrNone: Parser<number> = taking({ type: ['number', 'string'] }, (input) => {
  const bytes = typeof input === 'number' || typeof input === 'string' ? parseSize(input) : undefined;
  return bytes ?? expected('a size such as 10M or 1G, or 0', input);
});

/** Bytes, or a percentage of a total that may change: "80%". */
export type SizeOrShare = number | `${number}%`;

/** A share of the limit that V8 has for its heap: "heap:90%". */
export type HeapShare = `heap:${number}%`;

/** When a process is replaced because of its memory. */
export const memoryCeiling = taking<SizeOrShare | HeapShare>({ type: ['number', 'string'] }, (input) => {
  const [, ofHeap, number] = /^(heap:)?\s*(\d+(?:\.\d+)?)\s*%$/.exec(String(input).trim()) ?? [];
  const percent = Number(number);
  if (ofHeap && percent > 0 && percent < 100) return `heap:${percent}%`;
  if (!ofHeap && percent > 0 && percent <= 100) return `${percent}%`;
  try {
    return size(input);
  } catch {
    return expected("a size such as 300M or 1G, a share such as 80%, or a share of V8's heap such as heap:90%", input);
  }
});

/** From 0 to 1; undefined if the setting is not a share of V8's heap. */
export function heapShareOf(ceiling: SizeOrShare | HeapShare | undefined): number | undefined {
  const [, percent] = /^heap:(.*)%$/.exec(String(ceiling)) ?? [];
  return percent === undefined ? undefined : Number(percent) / 100;
}

/** CPU cores; the kernel allows no less than a hundredth. */
export const cores: Parser<number> = taking({ type: ['number', 'string'] }, (input) => {
  const count = typeof input === 'string' && /^\d+(\.\d+)?$/.test(input.trim()) ? Number(input) : input;
  if (typeof count === 'number' && count >= 0.01 && count <= 10_000) return count;
  return expected('a number of cores such as 0.5 or 2', input);
});

/** A whole number from `min` to `max`, as a number or digits. */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): Parser<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
  const bounds = max === Number.MAX_SAFE_INTEGER ? { minimum: min } : { minimum: min, maximum: max };
  return taking({ type: 'integer', ...bounds }, (input) => {
    const value = typeof input === 'string' && /^-?\d+$/.test(input.trim()) ? Number(input) : input;
    if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
    return expected(`a whole number, ${range}`, input);
  });
}

/** A whole number, or "unlimited" or Infinity (stored as the largest whole number). */
export const limit = taking<number>({ anyOf: [{ type: 'integer', minimum: 0 }, { enum: ['unlimited'] }] }, (input) => {
  if (input === 'unlimited' || String(input) === 'Infinity') return Number.MAX_SAFE_INTEGER;
  try {
    return integer(0)(input);
  } catch {
    return expected('a whole number, 0 or more, or "unlimited"', input);
  }
});

export function oneOf<const T extends string>(...words: T[]): Parser<T> {
  return taking({ enum: words }, (input) => {
    if (words.includes(input as T)) return input as T;
    return expected(`one of ${words.join(', ')}`, input);
  });
}

/** SIGTERM, sigterm, TERM or 15. */
export const signalName: Parser<NodeJS.Signals> = taking({ type: ['string', 'integer'] }, (input) => {
  const names = constants.signals as Record<string, number>;
  if (typeof input === 'number' || (typeof input === 'string' && /^\d+$/.test(input))) {
    const found = Object.keys(names).find((name) => names[name] === Number(input));
    if (found) return found as NodeJS.Signals;
  } else if (typeof input === 'string') {
    const name = `SIG${input.toUpperCase().replace(/^SIG/, '')}`;
    if (Object.hasOwn(names, name)) return name as NodeJS.Signals;
  }
  return expected('a signal such as SIGTERM, INT or 15', input);
});

export const stopSignal: Parser<StopSignal> = taking({ type: ['string', 'integer'] }, (input) =>
  input === 'auto' ? input : signalName(input),
);

/** A comma, except in the braces or parentheses of a glob. */
const separator = /,(?![^{(]*[})])/;

/** A list, or a comma-separated string. */
export function listOf<T>(item: Parser<T>): Parser<T[]> {
  const one = item.takes ?? {};
  return taking({ anyOf: [one, { type: 'array', items: one }] }, (input) => {
    const parts = typeof input === 'string' ? input.split(separator).map((part) => part.trim()) : input;
    if (!Array.isArray(parts)) return [item(input)];
    return parts.filter((part) => part !== '').map((part) => item(part));
  });
}

export const texts: Parser<string[]> = taking({ type: 'array', items: { type: 'string' } }, (input) => {
  if (Array.isArray(input) && input.every((item) => typeof item === 'string' && !item.includes('\0'))) return input;
  return expected('a list of strings', input);
});

/** Errors name the variable but not its value, which may be a password. */
export const environment = taking<Record<string, string>>(
  { type: 'object', additionalProperties: { type: 'string' } },
  (input) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return expected('an object of strings', input);
    const wrong = Object.entries(input).find(([, value]) => typeof value !== 'string' || value.includes('\0'));
    if (wrong) throw new BadValue(`must be an object of strings, not one where ${wrong[0]} is something else`);
    return input as Record<string, string>;
  },
);

/**
 * Returns the same object again for the same environment, and otherwise one that shares its strings with the last. The apps of a config
 * file have the environment of the shell in common, which is several kilobytes, and a daemon may have a thousand apps.
 */
export function likeTheLast(parse: Parser<Record<string, string>>): Parser<Record<string, string>> {
  let last: Record<string, string> = {};
  return Object.assign((input: unknown) => {
    const given = parse(input);
    const entries = Object.entries(given);
    const isNew = entries.some(([key, value]) => last[key] !== value) || Object.keys(last).length !== entries.length;
    if (isNew) last = Object.fromEntries(entries.map(([key, value]) => [key, last[key] === value ? last[key] : value]));
    return last;
  }, parse);
}

/** Where to listen: a port, `host:port`, `[v6]:port`, or an absolute path. */
export interface ListenAddress {
  host?: string;
  port?: number;
  path?: string;
}

export const listenAddress: Parser<ListenAddress> = taking({ type: ['string', 'integer'] }, (input) => {
  if (typeof input === 'object' && input !== null) {
    const { host, port, path } = input as ListenAddress;
    if (typeof path === 'string' && path.startsWith('/')) return { path };
    if (typeof port === 'number') return host === undefined ? { port } : { host, port };
  }
  const word = String(input);
  if (word.startsWith('/')) return { path: word };
  const match = /^(?:(?:\[([\da-f:.]+)\]|([^:[\]]+)):)?(\d{1,5})$/i.exec(word);
  const host = match?.[1] ?? match?.[2];
  if (match && Number(match[3]) <= 65_535)
    return host === undefined ? { port: Number(match[3]) } : { host, port: Number(match[3]) };
  return expected('a port, host:port or an absolute path', input);
});

/** Makes a setting optional: undefined and null become undefined. */
export function optional<T>(parse: Parser<T>): Parser<T | undefined> {
  return taking(parse.takes ?? {}, (input) => (input === undefined || input === null ? undefined : parse(input)));
}

// Reads the values of a record that was written down. Pure. Each function returns a value of its type, or throws an
// Error that says in words for people what is wrong.
import { constants } from 'node:os';

export type Fields = Record<string, unknown>;

/** Milliseconds that a Date can have, in both directions. */
const furthest = 8.64e15;
/** Linux allows no higher pid; 0 and negative ones mean groups of processes, or all of them. */
const highestPid = 2 ** 22;

export function readObject(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`${what} is not an object`);
}

export function readList<T>(value: unknown, what: string, read: (item: unknown) => T): T[] {
  if (Array.isArray(value)) return value.map((item) => read(item));
  throw new Error(`${what} is not a list`);
}

/** A number that counts or numbers something: whole, and not negative. */
export function readCount(value: unknown, what: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new Error(`"${what}" is not a count: ${shown(value)}`);
}

export function readPid(value: unknown, what: string): number {
  const pid = readCount(value, what);
  if (pid > 0 && pid <= highestPid) return pid;
  throw new Error(`"${what}" is not a pid: ${shown(value)}`);
}

/** Milliseconds, of either clock. */
export function readTime(value: unknown, what: string): number {
  if (typeof value === 'number' && Math.abs(value) <= furthest) return value;
  throw new Error(`"${what}" is not a time: ${shown(value)}`);
}

export function readText(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new Error(`"${what}" is not a string: ${shown(value)}`);
}

export function readFlag(value: unknown, what: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error(`"${what}" is not true or false: ${shown(value)}`);
}

export function signalOf(value: unknown, what: string): NodeJS.Signals {
  const name = readText(value, what);
  if (Object.hasOwn(constants.signals, name)) return name as NodeJS.Signals;
  throw new Error(`"${what}" is not a signal: ${shown(value)}`);
}

export function readOneOf<T extends string>(value: unknown, what: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new Error(`"${what}" is not one of ${known.join(', ')}: ${shown(value)}`);
}

/** Null stays null. */
export function orNull<T>(value: unknown, what: string, read: (value: unknown, what: string) => T): T | null {
  return value === null ? null : read(value, what);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

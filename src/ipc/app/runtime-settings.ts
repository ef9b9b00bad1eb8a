// Runtime settings: values that an app reads while it runs (`nsv/app`), and that change without a restart (`nsv config`). The settings
// of the app itself, such as its number of instances, are another thing: src/config.
import { isDeeper } from '../up-message.ts';
import type { RuntimeValues } from './views.ts';

export const runtimeLimits = {
  /** Of all values of an app together, as JSON. */
  bytes: 64 * 1024,
  keys: 200,
  /** Characters of a key. */
  key: 100,
  /** Levels of nesting, the values themselves included. */
  depth: 10,
};

/** Throws a TypeError that says what is wrong, without any value. */
export function parseRuntimeValues(input: unknown): RuntimeValues {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new TypeError('they must be an object with keys and values');
  const keys = Object.keys(input);
  if (keys.length > runtimeLimits.keys) throw new TypeError(`they have more than ${runtimeLimits.keys} keys`);
  for (const key of keys) parseRuntimeKey(key);
  if (isDeeper(input, runtimeLimits.depth))
    throw new TypeError(`they have more than ${runtimeLimits.depth} levels of nesting`);
  const text = JSON.stringify(input);
  const bytes = Buffer.byteLength(text);
  if (bytes > runtimeLimits.bytes)
    throw new TypeError(`they take ${bytes} bytes as JSON, and ${runtimeLimits.bytes} are allowed`);
  // As the processes get them: without what JSON cannot hold.
  return JSON.parse(text) as RuntimeValues;
}

export function parseRuntimeKey(key: unknown): string {
  if (typeof key !== 'string' || key === '' || /[\x00-\x1f=]/.test(key) || key === '__proto__')
    throw new TypeError(`${JSON.stringify(key)} cannot be a key`);
  if (key.length > runtimeLimits.key) throw new TypeError(`a key is longer than ${runtimeLimits.key} characters`);
  return key;
}

/** What is printed instead of a secret. */
export const maskText = '********';

const secretKey = /secret|password|token|key/i;

/** Without the values that look like secrets by their key, at any level. */
export function maskSecrets(values: RuntimeValues): RuntimeValues {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, secretKey.test(key) ? maskText : maskedIn(value)]),
  );
}

function maskedIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskedIn);
  return typeof value === 'object' && value !== null ? maskSecrets(value as RuntimeValues) : value;
}

/** The keys whose values differ. */
export function changedKeys(before: RuntimeValues, after: RuntimeValues): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}

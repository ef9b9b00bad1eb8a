// Shapes of what comes from outside: messages, records and files are trusted by nobody. Pure.

/**
 * Returns the value as its type, with the known fields only. Throws a TypeError that says in words for people what is
 * wrong.
 *
 * @param name of the field, for the error
 */
export type Shape<T> = (value: unknown, name: string) => T;

/** One for each field; a missing one does not compile. What is undefined is left out. */
type Fields<T> = {
  readonly [K in keyof T]-?: Shape<Pick<T, K> extends Required<Pick<T, K>> ? T[K] : T[K] | undefined>;
};

/** Milliseconds that a Date can have, in both directions. */
const furthest = 8.64e15;
/** Characters of a value in an error. */
const longestShown = 60;

export const bool: Shape<boolean> = (value, name) =>
  typeof value === 'boolean' ? value : refuse(name, 'true or false', value);

/** Anything but true is false. */
export const isTrue: Shape<boolean> = (value) => value === true;

/** True, or absent. */
export const ifTrue: Shape<true | undefined> = (value) => (value === true ? value : undefined);

export function whole(least: number, most = Number.MAX_SAFE_INTEGER): Shape<number> {
  const range = most === Number.MAX_SAFE_INTEGER ? `, at least ${least}` : ` from ${least} to ${most}`;
  return (value, name) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? (value as number)
      : refuse(name, `a whole number${range}`, value);
}

/** Counts or numbers something. */
export const natural = whole(0);

/** Linux allows no higher one; 0 and negative ones mean groups of processes, or all of them. */
export const processId = whole(1, 2 ** 22);

export const amount: Shape<number> = (value, name) =>
  Number.isFinite(value) && Number(value) >= 0 ? (value as number) : refuse(name, 'a number, at least 0', value);

/** Milliseconds, of either clock. */
export const time: Shape<number> = (value, name) =>
  typeof value === 'number' && Math.abs(value) <= furthest ? value : refuse(name, 'a time', value);

/** @param longest in characters */
export function string(longest = Number.POSITIVE_INFINITY): Shape<string> {
  return (value, name) => {
    if (typeof value !== 'string') return refuse(name, 'a string', value);
    if (value.length > longest) throw new TypeError(`"${name}" is longer than ${longest} characters`);
    return value;
  };
}

/** Cuts off what is longer. */
export function shortened(longest: number): Shape<string> {
  return (value, name) => string()(value, name).slice(0, longest);
}

/** @param what is expected, for the error */
export function matching(pattern: RegExp, what = `a text like ${pattern}`): Shape<string> {
  return (value, name) => (typeof value === 'string' && pattern.test(value) ? value : refuse(name, what, value));
}

export function among<const T extends string>(...known: readonly T[]): Shape<T> {
  return (value, name) =>
    known.find((candidate) => candidate === value) ?? refuse(name, `one of ${known.join(', ')}`, value);
}

export function array<T>(item: Shape<T>, most = Number.POSITIVE_INFINITY): Shape<T[]> {
  return (value, name) => {
    if (!Array.isArray(value)) return refuse(name, 'a list', value);
    if (value.length > most) throw new TypeError(`"${name}" must have at most ${most} entries`);
    return value.map((each) => item(each, name));
  };
}

export function record<T extends object>(fields: Fields<NoInfer<T>>): Shape<T> {
  const shapes = Object.entries<Shape<unknown>>(fields);
  return (value, name) => {
    const given = objectOf(value, name);
    const result: Record<string, unknown> = {};
    for (const [key, shape] of shapes) {
      const field = shape(given[key], key);
      if (field !== undefined) result[key] = field;
    }
    return result as T;
  };
}

/** Objects that differ by the value of one field, `tag`. */
export function variant<Tag extends string, T extends Record<Tag, string>>(
  tag: Tag,
  shapes: { readonly [K in T[Tag]]: Shape<Omit<Extract<T, Record<Tag, K>>, Tag>> },
): Shape<T> {
  const known = among<T[Tag]>(...(Object.keys(shapes) as T[Tag][]));
  return (value, name) => {
    const found = known(objectOf(value, name)[tag], `${name}.${tag}`);
    return { [tag]: found, ...shapes[found](value, name) } as unknown as T;
  };
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value, name) => (value === null ? null : shape(value, name));
}

export function orAbsent<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value, name) => (value === undefined ? undefined : shape(value, name));
}

export function withDefault<T>(shape: Shape<T>, otherwise: T): Shape<T> {
  return (value, name) => (value === undefined ? otherwise : shape(value, name));
}

export function objectOf(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  return refuse(name, 'an object', value);
}

function refuse(name: string, what: string, value: unknown): never {
  throw new TypeError(`"${name}" must be ${what}, not ${shown(value)}`);
}

/** Nothing of what is inside an object: whoever sent it has chosen how large and how deeply nested it is. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > longestShown ? `${value.slice(0, longestShown)}…` : value);
}

// One state per process, however many copies of this library it has loaded: that of the first copy is used by all.
// Parts that change in an incompatible way get another key.

const key = Symbol.for('nsv.app');

type Parts = Map<string, unknown>;

function parts(): Parts {
  const host = globalThis as typeof globalThis & { [key]?: Parts };
  if (!host[key]) Object.defineProperty(host, key, { value: new Map(), enumerable: false });
  return host[key] as Parts;
}

/** The part of this name; the first to ask creates it. */
export function shared<T>(name: string, create: () => T): T {
  const known = parts();
  if (!known.has(name)) known.set(name, create());
  return known.get(name) as T;
}

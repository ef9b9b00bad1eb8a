// Where functions were called from, and what each call cost by itself. The common form of CPU and allocation profiles.
// They come from an untrusted process, so everything is checked.

export interface Frame {
  /** Empty for an anonymous function. */
  name: string;
  /** As V8 gives it: `file:///srv/app.js`, `/srv/app.js`, `node:fs`, or empty for V8 itself. */
  url: string;
  /** From 1; 0 if unknown. */
  line: number;
}

export interface CallNode {
  frame: Frame;
  /** What it cost without its callees: microseconds or bytes. */
  self: number;
  /** Indices of the callees. Each is higher than that of its caller. */
  children: number[];
}

export interface CallTree {
  unit: 'microseconds' | 'bytes';
  /** The first one is the root. */
  nodes: CallNode[];
}

/** Of one profile. A busy process has some thousands. */
export const mostNodes = 1_000_000;

/** Characters of a name or an address. */
const longestText = 1_000;

export type ProfileFields = Record<string, unknown>;

export class ProfileError extends Error {}

export function profileFields(value: unknown, what: string): ProfileFields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as ProfileFields;
  throw new ProfileError(`${what} is not an object`);
}

export function profileList(value: unknown, what: string, most = mostNodes): unknown[] {
  if (!Array.isArray(value)) throw new ProfileError(`${what} is not a list`);
  if (value.length > most) throw new ProfileError(`${what} has ${value.length} entries, more than ${most}`);
  return value;
}

export function amountOf(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new ProfileError(`${what} is not a number from 0 up`);
}

export function parseFrame(value: unknown): Frame {
  const { functionName, url, lineNumber } = profileFields(value, 'a call frame');
  return {
    name: textOf(functionName),
    url: textOf(url),
    // V8 counts from 0 and gives -1 for what has no line.
    line: Number.isSafeInteger(lineNumber) ? Math.max(0, (lineNumber as number) + 1) : 0,
  };
}

export function parseJson(text: string): ProfileFields {
  try {
    return profileFields(JSON.parse(text), 'the profile');
  } catch (error) {
    if (error instanceof ProfileError) throw error;
    throw new ProfileError('it is not JSON');
  }
}

/** What each node cost together with its callees. */
export function totalsOf({ nodes }: CallTree): Float64Array {
  const totals = Float64Array.from(nodes, ({ self }) => self);
  for (let at = nodes.length - 1; at >= 0; at -= 1) {
    for (const child of nodes[at]!.children) totals[at]! += totals[child]!;
  }
  return totals;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, longestText) : '';
}

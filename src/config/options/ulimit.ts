// Limits of each process, by the names of limits.conf(5), docker and systemd: what they are, and how they are written.
import { parseSize } from '../../shared/units.ts';
import { BadValue, type Parser, taking } from './parsers.ts';

interface Resource {
  /** The flag of the shell's `ulimit`. For `nproc` it depends on the shell (daemon/launch/preparation.ts). */
  flag: string;
  /** Bytes in the unit of that flag; absent for what has no size. The blocks are those of POSIX. */
  unit?: number;
}

/** What the shells of Debian (dash), Alpine (busybox) and Red Hat (bash) can all set, and the kernel still heeds. */
export const resources = {
  nproc: { flag: '-u' },
  nofile: { flag: '-n' },
  cpu: { flag: '-t' },
  core: { flag: '-c', unit: 512 },
  fsize: { flag: '-f', unit: 512 },
  stack: { flag: '-s', unit: 1024 },
  data: { flag: '-d', unit: 1024 },
  as: { flag: '-v', unit: 1024 },
  memlock: { flag: '-l', unit: 1024 },
} as const satisfies Record<string, Resource>;

export type ResourceName = keyof typeof resources;

const names = Object.keys(resources) as ResourceName[];
/** Sizes are in steps of this, which all units divide. */
const step = 1024;
const unlimited = 'unlimited';

/** In bytes, seconds or pieces. */
export type UlimitValue = number | typeof unlimited;

export interface Ulimit {
  name: ResourceName;
  soft: UlimitValue;
  hard: UlimitValue;
}

/** `nofile=1024:65536` and the like, as `ulimitText` writes them, at most one of each name. */
export const ulimits: Parser<string[]> = taking(
  {
    anyOf: [
      { type: 'string' },
      { type: 'array', items: { type: 'string' } },
      {
        type: 'object',
        properties: Object.fromEntries(names.map((name) => [name, { type: ['integer', 'string'] }] as const)),
        additionalProperties: false,
      },
    ],
  },
  (input) => {
    const limits = wordsOf(input).map(readUlimit);
    const twice = names.find((name) => limits.filter((each) => each.name === name).length > 1);
    if (twice) throw new BadValue(`must name ${twice} once, not twice`);
    return limits.sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name)).map(ulimitText);
  },
);

function wordsOf(input: unknown): string[] {
  if (typeof input === 'object' && input !== null && !Array.isArray(input))
    return Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`));
  const parts = Array.isArray(input) ? input : [input];
  return parts.flatMap((part) => String(part).split(',')).filter((part) => part.trim() !== '');
}

/** Throws BadValue. A value without a colon is both limits, as in systemd and docker. */
export function readUlimit(word: string): Ulimit {
  const [, key, first, second = first] = /^\s*([^=\s]+)\s*=\s*([^:]+?)\s*(?::\s*([^:]+?)\s*)?$/.exec(word) ?? [];
  if (key === undefined || first === undefined || second === undefined)
    throw new BadValue(`must be limits such as nofile=65536 or nofile=1024:65536, not ${JSON.stringify(word)}`);
  const name = names.find((each) => each === key);
  if (!name) throw new BadValue(`must name one of ${names.join(', ')}, not ${JSON.stringify(key)}`);
  const [soft, hard] = [amountOf(name, first), amountOf(name, second)];
  if (isAbove(soft, hard))
    throw new BadValue(`must have a soft limit of ${name} that is not above the hard one, not "${first}:${second}"`);
  return { name, soft, hard };
}

function amountOf(name: ResourceName, word: string): UlimitValue {
  // The second word is systemd's.
  if (word === unlimited || word === 'infinity') return unlimited;
  const amount = hasSize(name) ? parseSize(word) : /^\d+$/.test(word) ? Number(word) : undefined;
  const isWhole = amount !== undefined && Number.isSafeInteger(amount) && (!hasSize(name) || amount % step === 0);
  if (isWhole) return amount;
  const what = hasSize(name) ? 'a size such as 64M, in whole kilobytes,' : 'a whole number';
  throw new BadValue(`must have ${what} or "unlimited" for ${name}, not ${JSON.stringify(word)}`);
}

function isAbove(soft: UlimitValue, hard: UlimitValue): boolean {
  if (hard === unlimited) return false;
  return soft === unlimited || soft > hard;
}

export function hasSize(name: ResourceName): boolean {
  return unitOf(name) !== undefined;
}

/** Bytes; undefined for what has no size. */
export function unitOf(name: ResourceName): number | undefined {
  const row: Resource = resources[name];
  return row.unit;
}

/** As the user would write it: equal limits have equal texts. */
function ulimitText({ name, soft, hard }: Ulimit): string {
  const text = (amount: UlimitValue) => (hasSize(name) ? sizeText(amount) : String(amount));
  return soft === hard ? `${name}=${text(soft)}` : `${name}=${text(soft)}:${text(hard)}`;
}

function sizeText(amount: UlimitValue): string {
  if (amount === unlimited || amount === 0) return String(amount);
  const units = [
    ['G', 1024 ** 3],
    ['M', 1024 ** 2],
  ] as const;
  const [letter, bytes] = units.find(([, size]) => amount % size === 0) ?? ['K', step];
  return `${amount / bytes}${letter}`;
}

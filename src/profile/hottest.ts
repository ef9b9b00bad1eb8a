// The functions that cost most by themselves.
import { fileURLToPath } from 'node:url';
import { type CallTree, type Frame, totalsOf } from './call-tree.ts';

/** `app`: the user's code. `engine`: V8, for example its garbage collector. */
export type Origin = 'app' | 'package' | 'node' | 'engine';

export interface HotFunction {
  name: string;
  /** Null for what has no file. */
  file: string | null;
  /** From 1; null if unknown. */
  line: number | null;
  origin: Origin;
  /** Microseconds or bytes, without callees. */
  self: number;
  /** With callees. */
  total: number;
  /** `self` of what the whole profile cost without idling, from 0 to 1. */
  share: number;
}

export interface Hottest {
  unit: CallTree['unit'];
  /** What the profile cost: the time the process was not idle, or the bytes. */
  busy: number;
  /** Microseconds without work. */
  idle: number;
  functions: HotFunction[];
}

export function hottestOf(tree: CallTree, most = 10): Hottest {
  const costs = costsOf(tree);
  let idle = 0;
  let busy = 0;
  for (const { frame, self } of tree.nodes) {
    if (isIdle(frame)) idle += self;
    else busy += self;
  }
  const functions = [...costs.values()]
    .filter(({ frame, self }) => self > 0 && !isIdle(frame) && !isRoot(frame))
    .sort((a, b) => b.self - a.self || b.total - a.total)
    .slice(0, most)
    .map(({ frame, self, total }) => ({ ...described(frame), self, total, share: busy > 0 ? self / busy : 0 }));
  return { unit: tree.unit, busy, idle, functions };
}

export function described(frame: Frame): Pick<HotFunction, 'name' | 'file' | 'line' | 'origin'> {
  const file = fileOf(frame.url);
  return {
    name: frame.name || '(anonymous)',
    file: file === '' ? null : file,
    line: frame.line > 0 && file !== '' ? frame.line : null,
    origin: originOf(frame.url),
  };
}

export function isIdle({ name, url }: Frame): boolean {
  return name === '(idle)' && url === '';
}

function isRoot({ name, url }: Frame): boolean {
  return name === '(root)' && url === '';
}

function originOf(url: string): Origin {
  if (url === '') return 'engine';
  if (url.startsWith('node:')) return 'node';
  return url.includes('/node_modules/') ? 'package' : 'app';
}

function fileOf(url: string): string {
  if (!url.startsWith('file:')) return url;
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}

interface Cost {
  frame: Frame;
  self: number;
  total: number;
}

/** By function. A recursive call counts once in `total`: as part of the outermost one. */
function costsOf(tree: CallTree): Map<string, Cost> {
  const { nodes } = tree;
  const totals = totalsOf(tree);
  const costs = new Map<string, Cost>();
  const keys = nodes.map(({ frame }) => `${frame.line}\n${frame.name}\n${frame.url}`);
  const active = new Map<string, number>();
  // A negative entry leaves a node: ~index.
  const path = [0];
  while (path.length > 0) {
    const at = path.pop()!;
    const key = keys[at < 0 ? ~at : at]!;
    const depth = active.get(key) ?? 0;
    if (at < 0) {
      active.set(key, depth - 1);
      continue;
    }
    const { frame, self, children } = nodes[at]!;
    const cost = costs.get(key) ?? { frame, self: 0, total: 0 };
    costs.set(key, cost);
    cost.self += self;
    if (depth === 0) cost.total += totals[at]!;
    active.set(key, depth + 1);
    path.push(~at);
    for (const child of children) path.push(child);
  }
  return costs;
}

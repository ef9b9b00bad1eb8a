// The data of a flame graph: a bar per call, in the order of a walk from the root.
import { type CallTree, totalsOf } from '../call-tree.ts';
import { described, isIdle, type Origin } from '../hottest.ts';

export interface FlameData {
  title: string;
  unit: CallTree['unit'];
  /** What each name, place and origin is, by the first number of a bar. */
  functions: [name: string, place: string, origin: Origin][];
  /** Callers before callees, the wider one first. */
  bars: [fn: number, depth: number, start: number, total: number, self: number][];
}

/** More than a screen can show: the narrowest are left out. */
const mostBars = 20_000;

export function flameOf(tree: CallTree, title: string): FlameData {
  const { nodes, unit } = tree;
  const totals = totalsOf(tree);
  // Idling is no work, and would press everything else into a corner.
  for (const child of nodes[0]!.children) if (isIdle(nodes[child]!.frame)) totals[0]! -= totals[child]!;
  const least = narrowest(totals);
  const functions = new Map<string, number>();
  const named: FlameData['functions'] = [];
  const bars: FlameData['bars'] = [];
  const path = [{ at: 0, depth: 0, start: 0 }];
  for (let next = path.pop(); next && bars.length < mostBars; next = path.pop()) {
    const { at, depth, start } = next;
    const { frame, self, children } = nodes[at]!;
    const { name, file, line, origin } = described(frame);
    const place = `${file ?? ''}${line === null ? '' : `:${line}`}`;
    const key = `${name}\n${place}`;
    const fn = functions.get(key) ?? named.push([name, place, origin]) - 1;
    functions.set(key, fn);
    bars.push([fn, depth, Math.round(start), Math.round(totals[at]!), Math.round(self)]);
    const shown = children
      .filter((child) => totals[child]! >= least && !isIdle(nodes[child]!.frame))
      .sort((a, b) => totals[b]! - totals[a]!);
    const places: typeof path = [];
    let from = start;
    for (const child of shown) {
      places.push({ at: child, depth: depth + 1, start: from });
      from += totals[child]!;
    }
    path.push(...places.reverse());
  }
  return { title, unit, functions: named, bars };
}

/** The width of the last bar that is shown. */
function narrowest(totals: Float64Array): number {
  // A bar of nothing cannot be seen.
  if (totals.length <= mostBars) return Number.MIN_VALUE;
  const least = totals.slice().sort().at(-mostBars)!;
  return Math.max(least, Number.MIN_VALUE);
}

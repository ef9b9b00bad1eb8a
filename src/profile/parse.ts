// Parses a `.cpuprofile` and a `.heapprofile`, the sampled allocations that are still alive:
// https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile
// https://chromedevtools.github.io/devtools-protocol/tot/HeapProfiler/#type-SamplingHeapProfile
import {
  amountOf,
  type CallNode,
  type CallTree,
  mostNodes,
  ProfileError,
  type ProfileFields,
  parseFrame,
  parseJson,
  profileFields,
  profileList,
} from './call-tree.ts';

/** Ten minutes with a sample every 50 µs. */
const mostSamples = 12_000_000;

/** Throws a ProfileError that says what is wrong. */
export function parseCpuProfile(text: string): CallTree {
  const profile = parseJson(text);
  const given = new Map<unknown, ProfileFields>();
  const called = new Set<unknown>();
  for (const each of profileList(profile.nodes, '"nodes"')) {
    const node = profileFields(each, 'a node');
    if (given.has(node.id)) throw new ProfileError('two nodes have the same id');
    given.set(node.id, node);
    for (const child of profileList(node.children ?? [], '"children"')) {
      if (called.has(child)) throw new ProfileError('a node has two callers');
      called.add(child);
    }
  }
  const root = [...given.keys()].find((id) => !called.has(id));
  if (root === undefined) throw new ProfileError('it has no root');
  return { unit: 'microseconds', nodes: arranged(given, root, timesOf(profile)) };
}

/** Callers before callees. A node that the root does not reach is left out. */
function arranged(
  given: ReadonlyMap<unknown, ProfileFields>,
  root: unknown,
  times: ReadonlyMap<unknown, number>,
): CallNode[] {
  const nodes: CallNode[] = [];
  const place = (id: unknown) => {
    const node = given.get(id);
    if (!node) throw new ProfileError('a node calls one that does not exist');
    return nodes.push({ frame: parseFrame(node.callFrame), self: times.get(id) ?? 0, children: [] }) - 1;
  };
  const ids = [root];
  place(root);
  // Each node has at most one caller, so this ends.
  for (let at = 0; at < ids.length; at += 1) {
    for (const child of (given.get(ids[at])?.children ?? []) as unknown[]) {
      ids.push(child);
      nodes[at]!.children.push(place(child));
    }
  }
  return nodes;
}

/** A sample lasts until the next one. `timeDeltas` has the time before each sample, and can be negative by clock jitter. */
function timesOf({ samples, timeDeltas, startTime, endTime }: ProfileFields): Map<unknown, number> {
  const ids = profileList(samples ?? [], '"samples"', mostSamples);
  const deltas = profileList(timeDeltas ?? [], '"timeDeltas"', mostSamples);
  if (ids.length !== deltas.length) throw new ProfileError('"samples" and "timeDeltas" have different lengths');
  const whole = amountOf(endTime, '"endTime"') - amountOf(startTime, '"startTime"');
  const times = new Map<unknown, number>();
  let passed = ids.length > 0 ? numberOf(deltas[0]) : 0;
  for (const [at, id] of ids.entries()) {
    const isLast = at === ids.length - 1;
    const lasted = isLast ? whole - passed : numberOf(deltas[at + 1]);
    passed += lasted;
    times.set(id, (times.get(id) ?? 0) + Math.max(0, lasted));
  }
  return times;
}

function numberOf(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new ProfileError('"timeDeltas" has an entry that is not a number');
}

/** Throws a ProfileError that says what is wrong. */
export function parseHeapProfile(text: string): CallTree {
  const given = [profileFields(parseJson(text).head, '"head"')];
  const nodes: CallNode[] = [];
  // Not by recursion: the process decides how deep it is.
  for (let at = 0; at < given.length; at += 1) {
    const { callFrame, selfSize, children } = given[at]!;
    const node: CallNode = { frame: parseFrame(callFrame), self: amountOf(selfSize, '"selfSize"'), children: [] };
    nodes.push(node);
    for (const child of profileList(children ?? [], '"children"')) {
      if (given.length >= mostNodes) throw new ProfileError(`it has more than ${mostNodes} nodes`);
      node.children.push(given.push(profileFields(child, 'a node')) - 1);
    }
  }
  return { unit: 'bytes', nodes };
}

// Parses what a process answers about itself. It runs user code, perhaps that of another user, so it may answer anything.
import { array, objectOf, record, type Shape, shortened, whole, withDefault } from '../../shared/shapes.ts';
import { answerAs, InvalidAnswer } from '../insight.ts';
import type { CallFrame, CpuProfile, PositionTick, ProfileNode } from './cpu-profile.ts';

/** Of a profile of a tenth of a second. */
const mostNodes = 100_000;
const mostSamples = 1_000_000;
/** Calls in a stack. V8 samples 255 of them. */
const deepest = 1_000;
/** Characters of a name or an address. */
const longestText = 1_000;
const mostResources = 100;

const integer = whole(Number.MIN_SAFE_INTEGER);
const name = shortened(longestText);

const callFrame: Shape<CallFrame> = record({
  functionName: name,
  url: name,
  lineNumber: integer,
  columnNumber: integer,
});

const node: Shape<ProfileNode> = record({
  id: integer,
  callFrame,
  children: withDefault(array(integer, mostNodes), []),
  positionTicks: withDefault(array(record<PositionTick>({ line: integer, ticks: integer }), mostNodes), []),
});

const profile: Shape<CpuProfile> = record({
  nodes: array(node, mostNodes),
  samples: withDefault(array(integer, mostSamples), []),
});

/** Throws InvalidAnswer. */
export function parseProfile(answer: unknown): CpuProfile {
  const parsed = answerAs(profile, answer);
  expectTree(parsed.nodes);
  return parsed;
}

/** Throws InvalidAnswer. */
export function parseResources(answer: unknown): Record<string, number> {
  return answerAs((value, what) => {
    const entries = Object.entries(objectOf(value, what)).slice(0, mostResources);
    return Object.fromEntries(entries.map(([type, count]) => [type.slice(0, longestText), integer(count, what)]));
  }, answer);
}

/** Each node has one caller at most, and whoever follows the callers comes to an end. */
function expectTree(nodes: readonly ProfileNode[]): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const called = new Set(nodes.flatMap(({ children = [] }) => children));
  let level = nodes.filter(({ id }) => !called.has(id));
  let reached = level.length;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > deepest) throw invalid();
    level = level.flatMap(({ children = [] }) => children.flatMap((id) => byId.get(id) ?? []));
    reached += level.length;
    if (reached > nodes.length) throw invalid();
  }
  if (reached !== byId.size) throw invalid();
}

function invalid(): InvalidAnswer {
  return new InvalidAnswer('its answer is invalid');
}

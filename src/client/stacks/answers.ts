// Parses what a process answers about itself. It runs user code, perhaps that of another user, so it may answer anything.
import { fieldsIn, InvalidAnswer, integerOf, listIn, textIn } from '../insight.ts';
import type { CallFrame, CpuProfile, ProfileNode } from './cpu-profile.ts';

/** Of a profile of a tenth of a second. */
const mostNodes = 100_000;
const mostSamples = 1_000_000;
/** Calls in a stack. V8 samples 255 of them. */
const deepest = 1_000;
/** Characters of a name or an address. */
const longestText = 1_000;
const mostResources = 100;

/** Throws InvalidAnswer. */
export function parseProfile(answer: unknown): CpuProfile {
  const { nodes, samples } = fieldsIn(answer);
  const parsed = shortList(nodes, mostNodes).map(nodeOf);
  expectTree(parsed);
  return { nodes: parsed, samples: shortList(samples ?? [], mostSamples).map((value) => integerOf(value)) };
}

/** Throws InvalidAnswer. */
export function parseResources(answer: unknown): Record<string, number> {
  const entries = Object.entries(fieldsIn(answer)).slice(0, mostResources);
  return Object.fromEntries(entries.map(([type, count]) => [type.slice(0, longestText), integerOf(count)]));
}

function nodeOf(answer: unknown): ProfileNode {
  const { id, callFrame, children, positionTicks } = fieldsIn(answer);
  return {
    id: integerOf(id),
    callFrame: frameOf(fieldsIn(callFrame)),
    children: shortList(children ?? [], mostNodes).map((value) => integerOf(value)),
    positionTicks: shortList(positionTicks ?? [], mostNodes).map((each) => {
      const { line, ticks } = fieldsIn(each);
      return { line: integerOf(line), ticks: integerOf(ticks) };
    }),
  };
}

function frameOf({ functionName, url, lineNumber, columnNumber }: Record<string, unknown>): CallFrame {
  return {
    functionName: textIn(functionName, longestText),
    url: textIn(url, longestText),
    lineNumber: integerOf(lineNumber),
    columnNumber: integerOf(columnNumber),
  };
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

function shortList(value: unknown, most: number): unknown[] {
  const list = listIn(value);
  if (list.length > most) throw invalid();
  return list;
}

function invalid(): InvalidAnswer {
  return new InvalidAnswer('its answer is invalid');
}

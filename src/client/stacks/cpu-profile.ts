// Finds where a process spent its time, in a CPU profile of V8:
// https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile
import { isWorkerCode } from '../../shared/code/own-code.ts';

export interface CallFrame {
  functionName: string;
  url: string;
  /** From 0 on; -1 for functions of V8. */
  lineNumber: number;
  columnNumber: number;
}

export interface ProfileNode {
  id: number;
  callFrame: CallFrame;
  children?: number[];
  /** By line of the function, from 1 on. */
  positionTicks?: PositionTick[];
}

export interface PositionTick {
  line: number;
  ticks: number;
}

export interface CpuProfile {
  nodes: ProfileNode[];
  /** Node ids, one per sample. */
  samples?: number[];
}

/** A call: where its function begins and, if known, the line of the function that ran. */
export interface Call {
  callFrame: CallFrame;
  /** From 1 on. */
  line?: number | undefined;
}

export interface HottestSamples {
  /** Percent of the time in which JavaScript of the app ran. */
  busy: number;
  /** The stack that was seen most often, innermost call first. One of the app, if there is any; empty if there is none. */
  calls: Call[];
  /** Whether one of the calls is of the app. */
  isOfApp: boolean;
}

/** What V8 calls time without JavaScript. Collecting garbage is work for the app's JavaScript, but has no stack. */
const markers = ['(root)', '(idle)', '(program)'];

export function hottestSamplesOf({ nodes, samples = [] }: CpuProfile): HottestSamples {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stackOf = (node: ProfileNode): ProfileNode[] => {
    const stack: ProfileNode[] = [];
    for (let at: ProfileNode | undefined = node; at; at = byId.get(parents.get(at.id) ?? -1)) stack.push(at);
    return stack;
  };
  const counts = countOf(samples);
  const ran = nodes.filter((node) => counts.has(node.id) && !isOutside(node) && !isOwn(stackOf(node)));
  const busy = ran.reduce((sum, { id }) => sum + counts.get(id)!, 0);
  const stacks = ran
    .filter((node) => !isCollector(node))
    .sort((one, other) => counts.get(other.id)! - counts.get(one.id)!)
    .map((node) => stackOf(node).filter((each) => !isOutside(each)));
  const hottest = stacks.find((stack) => stack.some(isOfApp)) ?? stacks[0] ?? [];
  return {
    isOfApp: hottest.some(isOfApp),
    busy: samples.length === 0 ? 0 : Math.round((100 * busy) / samples.length),
    calls: hottest.map(({ callFrame, positionTicks }, depth) => ({
      callFrame,
      line: depth === 0 ? hottestLine(positionTicks) : undefined,
    })),
  };
}

/** Samples by node. Counted, not weighted by time: a pause of the whole machine must not make one sample the hottest. */
function countOf(samples: number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const id of samples) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Neither of Node or V8, nor of nsv. */
function isOfApp({ callFrame }: ProfileNode): boolean {
  return callFrame.url !== '' && !callFrame.url.startsWith('node:') && !isWorkerCode(callFrame.url);
}

function isOutside({ callFrame }: ProfileNode): boolean {
  return markers.includes(callFrame.functionName);
}

function isCollector({ callFrame }: ProfileNode): boolean {
  return callFrame.functionName === '(garbage collector)';
}

/** The worker does something by itself, such as this answer. What it does for the app is work of the app. */
function isOwn(stack: ProfileNode[]): boolean {
  return stack.some(({ callFrame }) => isWorkerCode(callFrame.url)) && !stack.some(isOfApp);
}

function hottestLine(positionTicks: ProfileNode['positionTicks'] = []): number | undefined {
  return [...positionTicks].sort((one, other) => other.ticks - one.ticks)[0]?.line;
}

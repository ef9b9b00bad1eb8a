// Replaces processes because of their memory, and reports those whose memory keeps growing.
import { optionName } from '../../config/app-spec.ts';
import { bytesOf, leakWindowOf } from '../../config/memory.ts';
import { heapShareOf, type SizeOrShare } from '../../config/options/parsers.ts';
import type { Sampler } from '../../os/sampler.ts';
import type { Clock } from '../../shared/clock.ts';
import { failure } from '../../shared/errors.ts';
import { renderSize } from '../../shared/units.ts';
import type { Group } from '../apps/group.ts';
import type { Child } from '../launch/launcher.ts';
import { createHeapQuestions } from './heap-questions.ts';
import { watchLeaks } from './leak-watch.ts';
import type { MemoryGuard } from './memory-guard.ts';

export interface MemoryDeps {
  clock: Clock;
  guard: MemoryGuard;
  /** For samples over a longer time than those of the guard. */
  sampler: Sampler;
}

/** Returns functions that detach what it attaches. Throws BAD_OPTION for a share of V8's heap in an app that has none. */
export function attachMemoryLimits(group: Group, deps: MemoryDeps): (() => void)[] {
  const { spec } = group;
  const ceiling = spec.maxMemoryRestart;
  const heapShare = heapShareOf(ceiling);
  if (heapShare !== undefined) expectHeap(group);
  const detach: (() => void)[] = [];
  if (heapShare !== undefined) detach.push(attachHeapGuard(heapShare, group, deps));
  else if (ceiling !== undefined) detach.push(attachCeiling(ceiling as SizeOrShare, group, deps));
  if (leakWindowOf(spec) > 0) detach.push(watchLeaks(group, deps));
  return detach;
}

const childrenOf = (group: Pick<Group, 'processes'>) => group.processes.flatMap(({ child }) => child ?? []);

function replace(group: Pick<Group, 'processes'>, child: Child, detail: string): void {
  group.processes.find((process) => process.child === child)?.exceed({ cause: 'memory limit', detail });
}

function attachCeiling(ceiling: SizeOrShare, group: Group, { guard }: MemoryDeps): () => void {
  const limit = () => bytesOf(ceiling);
  return guard.watch({
    limit,
    roots: () => childrenOf(group),
    onExceeded(root, memory) {
      const detail = `memory ${renderSize(memory)} above limit ${renderSize(limit())}`;
      replace(group, root as Child, detail);
    },
  });
}

/** Milliseconds until a process is asked that was not there before, or was not connected. */
const every = 1_000;

/**
 * Replaces Node processes whose heap comes close to V8's limit, at which they would die: `share` of it. They report it themselves,
 * after the collection that could not free enough.
 */
export function attachHeapGuard(
  share: number,
  group: Pick<Group, 'processes'>,
  { clock }: Pick<MemoryDeps, 'clock'>,
): () => void {
  const questions = createHeapQuestions({ kind: 'collections', above: share }, (child, { used, limit }) => {
    if (used === null || used <= share * limit) return;
    const detail = `heap ${renderSize(used)} above ${Math.round(share * 100)}% of V8's limit ${renderSize(limit)}`;
    replace(group, child, detail);
  });
  let cancel = () => {};
  function look(): void {
    for (const child of childrenOf(group)) questions.ask(child);
    cancel = clock.after(every, look);
  }
  look();
  return () => {
    cancel();
    questions.close();
  };
}

function expectHeap({ spec }: Group): void {
  if (spec.node) return;
  const problem = `${optionName('maxMemoryRestart')} "${spec.maxMemoryRestart}" works only for Node programs, and "${spec.script}" is not one`;
  throw failure('BAD_OPTION', { problems: [problem] });
}

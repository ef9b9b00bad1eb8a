// Which memory counts, when a leak is told, and when a heap is too full. The processes' answers are played.
import { beforeEach, describe, expect, it } from 'vitest';
import { onAnswer } from '../../../../src/daemon/process/questions.ts';
import { parseLevel } from '../../../../src/daemon/triggers/heap-questions.ts';
import { type Leak, leakOf, watchLeaks } from '../../../../src/daemon/triggers/leak-watch.ts';
import { attachHeapGuard } from '../../../../src/daemon/triggers/memory-limits.ts';
import { marker } from '../../../../src/ipc/worker-messages.ts';
import type { Sampler } from '../../../../src/os/sampler.ts';
import { type FakeChild, FakeWorld } from '../../../helpers/fake-host.ts';

const mb = 1024 * 1024;
let world: FakeWorld;
let memory: number;
let leaks: Leak[];
let end: () => void;

beforeEach(() => {
  world = new FakeWorld();
  memory = 100 * mb;
  leaks = [];
});

type Sent = { type?: string; question?: number };
const asksOf = ({ sent }: FakeChild) => (sent as Sent[]).filter(({ type }) => type === 'ask' || type === 'next-part');

function says(child: FakeChild, text: string, step: 'part' | 'refused' | 'done' = 'part'): void {
  const question = (child.sent as Sent[]).findLast(({ type }) => type === 'ask')!.question!;
  onAnswer(child, { cmd: marker, type: 'answer', question, step, text });
}

async function watching(settings: object): Promise<FakeChild> {
  const group = await world.running({ detectLeaks: 60_000, ...settings });
  world.bus.subscribe((event) => event.type === 'leak' && leaks.push(event));
  const [child] = world.children;
  child!.takesMessages = true;
  const sample: Sampler['sample'] = async (roots) =>
    new Map(roots.map(({ pid }) => [pid, { cpu: 0, memory, pids: [pid] }]));
  end = watchLeaks(group, { clock: world.clock, sampler: { sample } });
  return child!;
}

/** One window after another, in each of which the memory grows. */
async function grows(windows: number, step: number, each = () => {}): Promise<void> {
  for (let index = 0; index < windows; index += 1) {
    await world.clock.passes(60_000);
    each();
    memory += step;
  }
}

describe('a program other than Node', () => {
  it('is judged by its resident memory, and reported once with the time that is left', async () => {
    const child = await watching({ node: false, maxMemoryRestart: 400 * mb });
    await grows(16, 10 * mb);
    expect(leaks).toHaveLength(1);
    expect(leaks[0]!.perHour).toBeCloseTo(600 * mb, -3);
    expect(leaks[0]!.left! / 60_000).toBeCloseTo(19, 0);
    expect(leakOf(child)).toBeDefined();
    await grows(6, 0);
    expect(leakOf(child)).toBeUndefined();
    end();
    expect(world.clock.pending).toBe(0);
  });

  it('is judged afresh with each process', async () => {
    const child = await watching({ node: false });
    await grows(9, 10 * mb);
    child.exits(1);
    await grows(9, 10 * mb);
    expect(leaks).toEqual([]);
  });
});

describe('a Node program', () => {
  it('is judged by its heap after collections, not by its resident memory', async () => {
    const child = await watching({ node: true });
    await grows(16, 10 * mb);
    expect(leaks).toEqual([]);
    let used = 50;
    await grows(14, 0, () => {
      used += 5;
      says(child, JSON.stringify({ used: used * mb, limit: 200 * mb }));
    });
    expect(leaks).toHaveLength(1);
    expect(leaks[0]!.left! / 60_000).toBeCloseTo(18, 0);
  });

  it('is asked once per window, and not after the end of the watch', async () => {
    const child = await watching({ node: true });
    await grows(4, 0);
    const questions = asksOf(child).length;
    expect(questions).toBeLessThanOrEqual(5);
    end();
    await grows(4, 0);
    expect(asksOf(child)).toHaveLength(questions);
    expect(child.sent).toContainEqual(expect.objectContaining({ type: 'cancel' }));
  });

  it('is left alone if it refuses to answer', async () => {
    const child = await watching({ node: true });
    await grows(1, 0);
    says(child, 'it has no answer', 'refused');
    await grows(4, 0);
    expect(asksOf(child)).toHaveLength(2);
  });
});

describe('a heap', () => {
  it('has its process replaced if it is too full', async () => {
    const group = await world.running();
    const [child] = world.children;
    child!.takesMessages = true;
    end = attachHeapGuard(0.9, group, world);
    says(child!, JSON.stringify({ used: 80, limit: 100 }));
    expect(group.processes[0]!.isExcessive).toBe(false);
    says(child!, JSON.stringify({ used: 91, limit: 100 }));
    expect(group.processes[0]!.isExcessive).toBe(true);
  });

  it.each([
    '',
    'null',
    '[]',
    '{"used":-1,"limit":1}',
    '{"used":1}',
    '{"used":"1","limit":1}',
    '{"used":1e99,"limit":2}',
  ])('has an invalid answer ignored: %j', (text) => {
    expect(parseLevel(text)).toBeUndefined();
  });
});

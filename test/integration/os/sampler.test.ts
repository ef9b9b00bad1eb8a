import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createMemoryGuard } from '../../../src/daemon/triggers/memory-guard.ts';
import { hasProc, type Identity, readStat, units } from '../../../src/os/proc.ts';
import { createSampler } from '../../../src/os/sampler.ts';
import { sendSignal } from '../../../src/os/terminate.ts';
import { realClock } from '../../../src/shared/clock.ts';
import { eventually } from '../../helpers/eventually.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { fixture, Stage } from '../../helpers/launched.ts';

const stage = new Stage();
afterEach(() => stage.end());
afterAll(() => stage.remove());

const megabyte = 1024 ** 2;
const sleeping = () => stage.launch(stage.plan({ script: '/bin/sleep', args: ['1000'] })).child;
const growing = () =>
  stage.launch(stage.plan({ script: fixture('grows.cjs'), interpreter: process.execPath, node: true }));
/** A process that sleeps while its child is busy; `works` resolves when that has used 0.2 s more of a core. */
async function busy() {
  const { child, prints } = stage.script('busy-child.sh');
  const pid = Number((await prints(/busy (\d+)/))[1]);
  const used = () => readStat(pid)?.cpuTicks ?? 0;
  const works = () => {
    const before = used();
    return eventually(() => used() >= before + units().ticks / 5);
  };
  return { child, works };
}

describe.skipIf(!hasProc)('a sample', () => {
  it('counts the CPU time of descendants, in percent of a core since the last look', async () => {
    const { child, works } = await busy();
    const idle = sleeping();
    const clock = new FakeClock();
    const { sample } = createSampler(clock);
    await sample([child, idle]);
    await works();
    await clock.passes(2_000);
    const usages = await sample([child, idle]);
    expect(usages.get(child.pid)?.cpu).toBeGreaterThanOrEqual(10);
    expect(usages.get(idle.pid)?.cpu).toBe(0);
  });

  it('gives the usage since the start of the process at the first look', { tags: 'full' }, async () => {
    const { child, works } = await busy();
    await works();
    const cpu = (await createSampler(new FakeClock()).sample([child])).get(child.pid)?.cpu;
    expect(cpu).toBeGreaterThan(5);
    expect(cpu).toBeLessThan(130);
  });

  it('repeats the last figure when it is too soon for a new one', async () => {
    const { child, works } = await busy();
    const clock = new FakeClock();
    const { sample } = createSampler(clock);
    const cpu = async () => (await sample([child])).get(child.pid)?.cpu;
    const first = await cpu();
    await works();
    await clock.passes(149);
    expect(await cpu()).toBe(first);
    await clock.passes(101);
    expect(await cpu()).toBeGreaterThanOrEqual(80);
  });

  it('counts memory in bytes, including children', async () => {
    const parent = stage.launch(
      stage.plan({ script: '/bin/sh', args: ['-c', `"$0" "$1" & wait`, process.execPath, fixture('grows.cjs')] }),
    );
    await parent.prints(/small/);
    const { memory = 0 } = (await createSampler(realClock).sample([parent.child])).get(parent.child.pid) ?? {};
    expect(memory).toBeGreaterThan(20 * megabyte);
    expect(memory).toBeLessThan(200 * megabyte);
  });

  it('leaves out only processes that are gone or have another start time', async () => {
    const [living, dead] = [sleeping(), stage.launch(stage.plan({ script: '/bin/true' }))];
    await dead.ended;
    const other: Identity = { pid: sleeping().pid, startTime: 1 };
    const usages = await createSampler(realClock).sample([dead.child, other, living]);
    expect([...usages.keys()]).toEqual([living.pid]);
  });

  it('keeps the figures of an older process while only a younger one is asked for', async () => {
    const { child, works } = await busy();
    const { sample } = createSampler(new FakeClock());
    const cpu = async () => (await sample([child])).get(child.pid)?.cpu;
    const first = await cpu();
    await works();
    await sample([sleeping()]);
    expect(await cpu()).toBe(first);
  });

  it('takes a few milliseconds of CPU for a hundred processes', { tags: 'full' }, async () => {
    const roots = Array.from({ length: 100 }, sleeping);
    const { sample } = createSampler(realClock);
    await sample(roots);
    const before = process.cpuUsage();
    expect((await sample(roots)).size).toBe(100);
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(100_000);
  });
});

describe.skipIf(!hasProc)('a memory ceiling', () => {
  it('reports a process once when it exceeds the ceiling, not before, and no other', async () => {
    const { child, prints } = growing();
    await prints(/small/);
    const [clock, other] = [new FakeClock(), sleeping()];
    const exceeded: [number, boolean][] = [];
    const guard = createMemoryGuard({ clock, sampler: createSampler(clock) });
    const limit = 100 * megabyte;
    guard.watch({
      limit: () => limit,
      roots: () => [child, other],
      onExceeded: ({ pid }, memory) => exceeded.push([pid, memory > limit]),
    });
    await clock.passes(1_000);
    expect(exceeded).toEqual([]);

    sendSignal(child, 'SIGUSR2');
    await prints(/grown/);
    await clock.passes(999);
    expect(exceeded).toEqual([]);
    await clock.passes(5_000);
    expect(exceeded).toEqual([[child.pid, true]]);
  });

  it('follows a limit that changes', async () => {
    const [clock, root] = [new FakeClock(), sleeping()];
    const sampler = { sample: async () => new Map([[root.pid, { cpu: 0, memory: 80, pids: [] }]]) };
    const exceeded: number[] = [];
    let limit = 100;
    createMemoryGuard({ clock, sampler }).watch({
      limit: () => limit,
      roots: () => [root],
      onExceeded: (_root, memory) => exceeded.push(memory),
    });
    await clock.passes(2_000);
    expect(exceeded).toEqual([]);
    limit = 50;
    await clock.passes(2_000);
    expect(exceeded).toEqual([80]);
  });

  it('needs no timer while none is set, and survives a failed sample', async () => {
    const clock = new FakeClock();
    let looks = 0;
    const sampler = { sample: () => Promise.reject(new Error(`look ${++looks}`)) };
    const guard = createMemoryGuard({ clock, sampler, every: 500 });
    expect(clock.pending).toBe(0);
    const release = guard.watch({ limit: () => 1, roots: () => [], onExceeded: () => {} });
    await clock.passes(1_000);
    expect(looks).toBe(2);
    release();
    await clock.passes(500);
    expect(clock.pending).toBe(0);
    await eventually(() => looks === 3);
  });
});

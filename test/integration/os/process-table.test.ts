import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { hasProc, type Identity, otherStats, units, uptime } from '../../../src/os/proc.ts';
import { lookAround } from '../../../src/os/process-table.ts';
import { membersOf } from '../../../src/os/tree.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Stage } from '../../helpers/launched.ts';

const stage = new Stage();
afterEach(() => stage.end());
afterAll(() => stage.remove());

const pids = (members: readonly Identity[]) => members.map(({ pid }) => pid);
const sleeping = () => stage.launch(stage.plan({ script: '/bin/sleep', args: ['1000'] })).child;

describe.skipIf(!hasProc)('a look at all processes', () => {
  it('leaves out processes that are too old, and finds them when older ones are asked for', async () => {
    const old = sleeping();
    await eventually(() => (uptime() ?? 0) > ((old.startTime ?? 0) + 1) / units().ticks);
    const young = sleeping();
    for (const [since, found] of [
      [young.startTime, [young]],
      [young.startTime, [young]],
      [old.startTime, [old, young]],
      [undefined, [old, young]],
    ] as const) {
      const seen = otherStats(new Set(), since).stats.filter(({ pid }) => pid === old.pid || pid === young.pid);
      expect(seen.map(({ pid }) => pid).sort()).toEqual(found.map(({ pid }) => pid).sort());
    }
  });
});

describe.skipIf(!hasProc)('a table of all processes', () => {
  it('includes processes that were started later once it is updated', async () => {
    const table = lookAround();
    const { child, prints } = stage.script('runaway.sh');
    const runaway = Number((await prints(/runaway (\d+)/))[1]);
    expect(membersOf(table, child)).toEqual([]);
    table.update();
    const family = membersOf(table, child);
    stage.remember(family);
    expect(pids(family)).toContain(runaway);
    expect(family).toHaveLength(3);
  });

  it('knows the marks of processes that were started later', async () => {
    const table = lookAround();
    const tokens = table.byToken();
    const child = sleeping();
    expect(tokens.get(child.tree!.token)).toBeUndefined();
    table.update();
    expect(tokens.get(child.tree!.token)?.map(({ pid }) => pid)).toEqual([child.pid]);
  });

  it('reads only new processes when it is updated', () => {
    const { pids: all, stats } = otherStats(new Set());
    expect(stats.length).toBeGreaterThan(0);
    const child = sleeping();
    const others = otherStats(all).stats;
    expect(others.map(({ pid }) => pid)).toContain(child.pid);
    expect(others.filter(({ pid }) => all.has(pid))).toEqual([]);
  });
});

// Processes that are nobody's children: how soon their end is noticed.
import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../src/config/app-spec.ts';
import { createAdopter, unknownExit } from '../../../src/daemon/launch/adopted.ts';
import type { Exit } from '../../../src/ipc/views.ts';
import { startTimeOf } from '../../../src/os/proc.ts';
import { eventually } from '../../helpers/eventually.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { isAlive } from '../../helpers/nsv.ts';

const pids: number[] = [];
afterEach(() => {
  for (const pid of pids.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

function start(): number {
  const { pid = 0 } = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
  pids.push(pid);
  return pid;
}

function adopt(count: number) {
  const clock = new FakeClock();
  const adopter = createAdopter({ clock });
  const spec = parseAppSpec({ name: 'web', script: '/bin/sleep', cwd: '/', node: false, instances: count });
  const ended = new Map<number, Exit>();
  const own = Array.from({ length: count }, (_, slot) => {
    const pid = start();
    const life = { pid, startTime: startTimeOf(pid)!, mark: `h:${slot}:holder:0:0:0:web` };
    const plan = { spec, id: slot, slot, sockets: [], outFile: '/o', errorFile: '/e' };
    adopter
      .finderOf(life, true)
      .launch(plan, { exited: (exit) => ended.set(pid, exit), message: () => {}, cutOff: () => {} });
    return pid;
  });
  return { clock, ended, own };
}

async function end(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await eventually(() => !isAlive(pid));
}

describe('the end of an adopted process', () => {
  it('is noticed within half a second', async () => {
    const { clock, ended, own } = adopt(5);
    for (const [index, pid] of own.entries()) {
      await clock.passes(index * 70);
      await end(pid);
      await clock.passes(500);
      expect(ended.get(pid)).toEqual(unknownExit);
      expect(ended.size).toBe(index + 1);
    }
  });

  it('is noticed for each of many that end together', async () => {
    const { clock, ended, own } = adopt(20);
    for (const pid of own) await end(pid);
    await clock.passes(500);
    await eventually(() => ended.size === 20);
    // Nobody is left to look for.
    expect(clock.pending).toBe(0);
  });
});

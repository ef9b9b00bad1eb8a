// A process in a cgroup of its own, with the real kernel: it need not have a controller for that.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../src/config/app-spec.ts';
import { createAdopter } from '../../../src/daemon/launch/adopted.ts';
import type { LaunchPlan } from '../../../src/daemon/launch/launcher.ts';
import { prepared } from '../../../src/daemon/launch/preparation.ts';
import { createSpawner } from '../../../src/daemon/launch/spawn.ts';
import { killAllIn, processesIn, removeCgroup } from '../../../src/os/cgroups/app-cgroups.ts';
import { startTimeOf } from '../../../src/os/proc.ts';
import { ProcessTree } from '../../../src/os/process-tree.ts';
import { sendSignal } from '../../../src/os/terminate.ts';
import { mayHaveLeft, treeOf } from '../../../src/os/tree.ts';
import { eventually } from '../../helpers/eventually.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { isAlive } from '../../helpers/nsv.ts';

/** A directory below the mount of version 2; undefined where none can be made. */
function appCgroup(): string | undefined {
  const line = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .find((text) => text.includes(' - cgroup2 '));
  try {
    return line && mkdtempSync(join(line.split(' ')[4]!, 'nsv-limits-'));
  } catch {
    return undefined;
  }
}

const app = appCgroup();

it.skipIf(app === undefined)(
  'a process in a cgroup is found and killed with its descendants, and leaves no cgroup behind',
  async () => {
    const own = join(app!, 'token');
    mkdirSync(own);
    // One descendant has left its session, and has none of the variables by which nsv finds it elsewhere.
    const family = 'env -i setsid sleep 600 & sleep 600';
    const [file, ...args] = prepared(['/bin/sh', '-c', family], [], own);
    const child = spawn(file!, args, { stdio: 'ignore', detached: true });
    const pid = child.pid!;
    await eventually(() => processesIn(own).length === 3);
    const exited = new Promise((resolve) => child.on('exit', resolve));
    const members = processesIn(own);

    const who = { pid, startTime: startTimeOf(pid), cgroup: own };
    expect(
      treeOf(who)
        .map((member) => member.pid)
        .sort(),
    ).toEqual(members.sort());
    process.kill(pid, 'SIGKILL');
    await exited;
    expect(mayHaveLeft(who, 1)).toBe(true);
    const tree = new ProcessTree(who, { signal: sendSignal, treeOf, mayHaveLeft });
    expect(tree.isGone()).toBe(false);
    killAllIn(own);
    await eventually(() => !members.some(isAlive));
    await eventually(() => tree.isGone() && !existsSync(own));
    removeCgroup(own);
    expect(existsSync(app!)).toBe(false);
  },
);

describe('the cgroup of a process', () => {
  const events = { message: () => {}, cutOff: () => {}, exited: () => {} };
  const token = 'a'.repeat(32);
  const plan = (script: string): LaunchPlan => {
    const spec = parseAppSpec({ name: 'web', script, cwd: '/', node: false, pids: 20 });
    return { spec, id: 0, slot: 0, sockets: [], outFile: '/dev/null', errorFile: '/dev/null' };
  };

  it('is removed if the process cannot be started', () => {
    const directory = mkdtempSync(join(tmpdir(), 'nsv-limits-'));
    const prepare = () => {
      const own = join(directory, 'app-web', token);
      mkdirSync(own, { recursive: true });
      return own;
    };
    const { launch } = createSpawner({ preload: () => '/none', cgroups: { prepare, find: () => undefined } });
    expect(() => launch(plan('/no/such/program'), events)).toThrow('/no/such/program');
    expect(readdirSync(directory)).toEqual([]);
    rmSync(directory, { recursive: true });
  });

  it('is known to the next daemon, even if it was not recorded', () => {
    const cgroups = { prepare: () => '/new', find: (app: string, of: string) => `/app-${app}/${of}` };
    const adopted = (written: object) =>
      createAdopter({ clock: new FakeClock(), cgroups })
        .finderOf({ pid: 1, startTime: 1, mark: `${token}:web`, ...written }, true)
        .launch(plan('/bin/sleep'), events);
    expect(adopted({}).cgroup).toBe(`/app-web/${token}`);
    expect(adopted({ cgroup: '/app-web/written' }).cgroup).toBe('/app-web/written');
  });
});

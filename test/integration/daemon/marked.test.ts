// Which processes are taken for those of a dead daemon, by the marks in their environments.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Words } from '../../../src/daemon/launch/command.ts';
import { grantsOf, prepared } from '../../../src/daemon/launch/preparation.ts';
import { type Mark, renderMark } from '../../../src/daemon/process/mark.ts';
import { findMarked } from '../../../src/daemon/state/search.ts';
import { hasProc } from '../../../src/os/proc.ts';
import { createMac } from '../../../src/shared/crypto/mac.ts';
import { eventually } from '../../helpers/eventually.ts';
import { procFile } from '../../helpers/proc.ts';
import { makeFifo } from '../../helpers/program.ts';

const uid = process.getuid?.() ?? 0;
const home = `home-${process.pid}`;
const mac = createMac(Buffer.alloc(16, 7));
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await eventually(() => child.exitCode !== null || child.signalCode !== null);
  }
});

/** Starts a process of this user with the mark of an app of a user. */
async function marked(user: number, words: Words = ['sleep', '60'], comm = 'sleep', argv0?: string): Promise<number> {
  const [file, ...args] = words;
  const mark: Mark = { home, sequence: user, isTrial: false, id: 0, slot: 0, restarts: 0, uid: user, app: 'web' };
  const env = { PATH: process.env.PATH, NSV_MARK: renderMark(mark, mac) };
  const child = spawn(file, args, { env, argv0, detached: true, stdio: 'ignore' });
  children.push(child);
  await eventually(() => procFile(child.pid!, 'comm') === `${comm}\n`);
  return child.pid!;
}

describe.runIf(hasProc)('a process with a genuine mark', () => {
  it("is that of the app if it runs as the app's user, and not because it runs as the daemon's", async () => {
    const own = await marked(uid);
    const setuid = await marked(uid + 1);
    const { ours, others } = findMarked({ home, uid }, mac);
    expect([ours, others].map((strays) => strays.map(({ pid }) => pid))).toEqual([[own], [setuid]]);
  });

  it('is not that of the app because its command line says so', async () => {
    const setuid = await marked(uid + 1, ['sleep', '60'], 'sleep', prepared(['sleep'], [], '/anywhere').join(' '));
    const { ours, others } = findMarked({ home, uid }, mac);
    expect([ours, others].map((strays) => strays.map(({ pid }) => pid))).toEqual([[], [setuid]]);
  });

  it('is that of an app with limits, too, before it has become the user of the app', async () => {
    const grants = { nice: 19, ulimit: ['core=0'], oomScoreAdj: undefined };
    const cgroup = mkdtempSync(join(tmpdir(), 'nsv-marked-'));
    // It waits there until somebody reads.
    await makeFifo(join(cgroup, 'cgroup.procs'));
    const moving = await marked(uid + 1, prepared(['sleep', '60'], grantsOf(grants), cgroup), 'sh');
    const { ours } = findMarked({ home, uid }, mac);
    expect(ours.map(({ pid }) => pid)).toEqual([moving]);
    rmSync(cgroup, { recursive: true });
  });
});

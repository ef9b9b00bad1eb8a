// Which processes are taken for those of a dead daemon, by the marks in their environments.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { grantsOf, prepared } from '../../../src/daemon/launch/preparation.ts';
import { renderMark } from '../../../src/daemon/process/mark.ts';
import { findMarked } from '../../../src/daemon/state/search.ts';
import { createSpawnLog, readSpawnLog } from '../../../src/daemon/state/spawn-log.ts';
import { hasProc } from '../../../src/os/proc.ts';
import type { Words } from '../../../src/privileges/privileges.ts';
import { eventually } from '../../helpers/eventually.ts';
import { endChild, procFile } from '../../helpers/proc.ts';
import { makeFifo } from '../../helpers/program.ts';
import { token } from '../../helpers/records.ts';

const uid = process.getuid?.() ?? 0;
const home = `home-${process.pid}`;

const markOf = (user: number, of = home) =>
  renderMark({ token, home: of, sequence: user, isTrial: false, id: 0, slot: 0, restarts: 0, uid: user, app: 'web' });

/** Starts a process of this user with a mark. */
async function marked(mark: string, words: Words = ['sleep', '60'], comm = 'sleep', argv0?: string): Promise<number> {
  const [file, ...args] = words;
  const env = { PATH: process.env.PATH, NSV_MARK: mark };
  const child = spawn(file, args, { env, argv0, detached: true, stdio: 'ignore' });
  onTestFinished(() => endChild(child));
  await eventually(() => procFile(child.pid!, 'comm') === `${comm}\n`);
  return child.pid!;
}

/** The pids that are found if these marks were given. */
function found(...given: string[]): { ours: number[]; others: number[] } {
  const { ours, others } = findMarked({ home, uid }, new Map(given.map((mark) => [mark, undefined])));
  return { ours: ours.map(({ pid }) => pid), others: others.map(({ pid }) => pid) };
}

const [own, foreign] = [markOf(uid), markOf(uid + 1)];

describe.runIf(hasProc)('a process with an issued mark', () => {
  it("belongs to the app if it runs as the app's user, not if it runs as the daemon's", async () => {
    const [ours, setuid] = [await marked(own), await marked(foreign)];
    expect(found(own, foreign)).toEqual({ ours: [ours], others: [setuid] });
  });

  it('is not recognised by its command line alone', async () => {
    const setuid = await marked(foreign, ['sleep', '60'], 'sleep', prepared(['sleep'], [], '/anywhere').join(' '));
    expect(found(foreign)).toEqual({ ours: [], others: [setuid] });
  });

  it("belongs to an app with limits even before it has switched to the app's user", async () => {
    const grants = { nice: 19, ulimit: ['core=0'], oomScoreAdj: undefined };
    const cgroup = mkdtempSync(join(tmpdir(), 'nsv-marked-'));
    // It waits there until somebody reads.
    await makeFifo(join(cgroup, 'cgroup.procs'));
    const moving = await marked(foreign, prepared(['sleep', '60'], grantsOf(grants), cgroup), 'sh');
    expect(found(foreign).ours).toEqual([moving]);
    rmSync(cgroup, { recursive: true });
  });
});

describe.runIf(hasProc)('a process', () => {
  it('is ignored if its mark was never issued', async () => {
    await marked(own.replace(':web', ':bad'));
    expect(found(own)).toEqual({ ours: [], others: [] });
  });

  it('is ignored if its mark is from the home of which this one is a copy', async () => {
    const original = markOf(uid, 'original');
    await marked(original);
    expect(found(original)).toEqual({ ours: [], others: [] });
  });
});

it.runIf(hasProc)('the spawn log drops processes that are gone, but none that runs or has just started', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'nsv-marked-'));
  const file = join(directory, 'spawns');
  const log = createSpawnLog({ file, isIntact: () => true, logError: (text) => expect.fail(text) });
  await marked(own);
  log.add(own);
  const { size } = statSync(file);
  const nth = (sequence: number) => own.replace(/:\d+:holder/, `:${sequence}:holder`);
  let last = 0;
  do {
    last += 1;
    log.add(nth(last));
  } while (last < 3_000 && readSpawnLog(file).has(nth(1)));
  const given = readSpawnLog(file);
  for (let sequence = last - 100; sequence <= last; sequence += 1) expect(given.has(nth(sequence))).toBe(true);
  expect(given.has(own)).toBe(true);
  for (; last <= 5_000; last += 1) log.add(nth(last));
  expect(readSpawnLog(file).has(own)).toBe(true);
  expect(statSync(file).size).toBe(size);
  rmSync(directory, { recursive: true });
});

// Hands everything over to another daemon, once that one has proven that it can go on; else goes on as if nothing had been.
//
// Nothing is given away, only shared: state, sockets and lock are with both. What decides is one file with the pid of the
// other: that one renames it to daemon.pid, or this one removes it, and only one of the two can. Meanwhile this process stands
// still, so that no two daemons ever act at a time: on failure it has missed nothing, and on success it ends without another
// turn of its event loop.
import { existsSync, unlinkSync } from 'node:fs';
import type { Report } from '../../../ipc/protocol.ts';
import type { DaemonParty, UpgradeView } from '../../../ipc/views.ts';
import { sleepSync } from '../../../os/sleep-sync.ts';
import { realClock as clock } from '../../../shared/clock.ts';
import { errnoOf } from '../../../shared/errno.ts';
import { detailOf, failure } from '../../../shared/errors.ts';
import type { HomePaths } from '../../../shared/paths.ts';
import { version } from '../../../shared/version.ts';
import type { Program } from '../../launch/successor-process.ts';
import { onceEmptied } from '../../sockets/rr.ts';
import { writePid } from '../../state/singleton.ts';
import { Candidate, Unable } from './candidate.ts';
import type { HandOverSource, SharedHandle } from './source.ts';

/** `hand-over`: the successor takes all. `restart`: it is only proven, then whoever looks after this daemon starts it anew. */
export type HandOverKind = 'hand-over' | 'restart';

export interface PredecessorDeps {
  paths: HomePaths;
  way: HandOverKind;
  source: HandOverSource;
  lock: SharedHandle;
}

/** Milliseconds for the other daemon to boot, and then to show that it can go on. */
const patience = 10_000;
/** Milliseconds until there is a moment in which nothing is on its way. */
const restlessness = 30_000;
/** Milliseconds for it to take the home. It has all that it needs, and clients get no sign of life meanwhile. */
const standing = 5_000;
/** Between two looks for something that is over soon. */
const pause = 5;

/**
 * Resolves when the other daemon has the home: then this one must end, in the same turn of the event loop. Rejects with
 * CANNOT_UPDATE.
 */
export async function handOver(program: Program, report: Report, deps: PredecessorDeps): Promise<UpgradeView> {
  const { source } = deps;
  const letIn = source.holdCommands();
  try {
    await commandsEnded(source, report);
    report('starting the new daemon');
    return await tryOut(program, report, deps);
  } catch (error) {
    letIn();
    if (!(error instanceof Unable)) throw error;
    throw failure('CANNOT_UPDATE', { detail: error.message }, { output: error.output, cause: error });
  }
}

async function commandsEnded({ command }: HandOverSource, report: Report): Promise<void> {
  for (let busy = command(); busy; busy = command()) {
    report(`waiting for ${busy} to finish`);
    await new Promise<void>((resolve) => clock.after(pause, resolve));
  }
}

/** Connections that wait for a free process do so for a moment only, but under load for the next one soon after. */
function betterMoment(): Promise<void> {
  return Promise.race([onceEmptied(), new Promise<void>((resolve) => clock.after(pause, resolve))]);
}

async function tryOut(program: Program, report: Report, deps: PredecessorDeps): Promise<UpgradeView> {
  const candidate = new Candidate(deps.paths, program);
  try {
    const { type: _, ...after } = await candidate.booted(patience);
    report(`handing over to nsv ${after.version} (Node ${after.node}, pid ${after.pid})`);
    await convey(candidate, deps);
    if (deps.way === 'restart') candidate.kill();
    else commit(candidate, after.pid, deps.paths);
    return { before: thisDaemon(), after };
  } catch (error) {
    candidate.kill();
    throw error instanceof Unable ? error : new Unable(detailOf(error));
  }
}

/** Returns at a moment in which the other has all there is, and nothing is on its way. */
async function convey(candidate: Candidate, { source, lock }: PredecessorDeps): Promise<void> {
  const deadline = clock.now() + restlessness;
  let known = '';
  for (;;) {
    await source.settled();
    const state = source.draw((handle) => candidate.give(handle), lock);
    const text = JSON.stringify(state);
    const busy = source.busyWith();
    if (text === known && !busy) return;
    if (clock.now() > deadline)
      throw new Unable(
        busy
          ? `no quiet moment to hand over, because of ${busy}`
          : 'no quiet moment to hand over: the state of the apps keeps changing',
      );
    if (text === known) await betterMoment();
    else await candidate.prove(state, patience);
    known = text;
  }
}

/** Returns when it has the home. Throws Unable when it has not and never will; nothing has changed then. */
function commit(candidate: Candidate, pid: number, paths: HomePaths): void {
  writePid(paths.heir, pid);
  candidate.commit();
  const deadline = clock.now() + standing;
  while (existsSync(paths.heir)) {
    const { isThere } = candidate;
    if (isThere && clock.now() < deadline) sleepSync(1);
    else if (withdrawn(paths.heir))
      throw new Unable(
        isThere
          ? `the new daemon did not take over within ${standing / 1_000} s`
          : 'the new daemon died while taking over',
      );
  }
}

/** False when it has been taken at this very moment. */
function withdrawn(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function thisDaemon(): DaemonParty {
  return { pid: process.pid, version, node: process.version, program: process.execPath };
}

// Hands everything over to another daemon, once that one has proven that it can continue; otherwise carries on as
// before.
//
// Nothing is given away, only shared: both daemons have state, sockets and lock. One file with the pid of the successor
// decides: either the successor renames it to daemon.pid, or this daemon removes it, and only one of them can succeed.
// Meanwhile this process blocks, so that two daemons never act at the same time: on failure it has missed nothing, and
// on success it exits without another turn of its event loop.
import { existsSync, unlinkSync } from 'node:fs';
import type { Report } from '../../../ipc/protocol.ts';
import type { UpgradeView } from '../../../ipc/views.ts';
import { sleepSync } from '../../../os/sleep-sync.ts';
import { realClock as clock, pause } from '../../../shared/clock.ts';
import { errnoOf } from '../../../shared/errno.ts';
import { detailOf, failure } from '../../../shared/errors.ts';
import type { HomePaths } from '../../../shared/paths.ts';
import { renderDuration } from '../../../shared/units.ts';
import { version } from '../../../shared/version.ts';
import type { Program } from '../../launch/successor-process.ts';
import { onceEmptied } from '../../sockets/ways/waiting.ts';
import { writePid } from '../../state/singleton.ts';
import { Candidate, HandOverError } from './candidate.ts';
import type { HandOverHold } from './gate.ts';
import type { HandOverSource, SharedHandle } from './source.ts';

export interface PredecessorDeps {
  paths: HomePaths;
  /** `hand-over`: the successor takes all. `restart`: it only proves that it can, then the supervisor starts another. */
  way: 'hand-over' | 'restart';
  source: HandOverSource;
  lock: SharedHandle;
}

/** Milliseconds for the successor to boot, and again to prove that it can continue. */
const bootTimeout = 10_000;
/** Milliseconds until there is a moment in which no work is under way. */
const quietTimeout = 30_000;
/** Milliseconds for the successor to take the home. It has all it needs, and clients get no response meanwhile. */
const takeOverTimeout = 5_000;
/** Milliseconds between two checks for something that is over soon. */
const pollInterval = 5;

/** Resolves when the successor has the home: exit in the same turn of the event loop. Rejects with CANNOT_UPDATE. */
export async function handOver(program: Program, report: Report, deps: PredecessorDeps): Promise<UpgradeView> {
  const { source } = deps;
  const hold = await source.holdCommands();
  try {
    await commandsEnded(source, report);
    report('starting the new daemon');
    return await tryOut(program, hold, report, deps);
  } catch (error) {
    hold.cancel();
    if (!(error instanceof HandOverError)) throw error;
    throw failure('CANNOT_UPDATE', { detail: error.message }, { output: error.output, cause: error });
  }
}

/** Every command ends by itself sooner or later, but for its hooks. */
async function commandsEnded({ command, hooks }: HandOverSource, report: Report): Promise<void> {
  const begun = clock.now();
  for (let busy = command(); busy; busy = command()) {
    report(`waiting for ${busy} to finish`);
    const endless = hooks().find(({ timeout }) => clock.now() - begun > timeout);
    if (endless)
      throw new HandOverError(
        `${endless.name} still runs after ${renderDuration(endless.timeout)}; wait until it ends, or end it, and update then`,
      );
    await pause(clock, pollInterval);
  }
}

async function tryOut(
  program: Program,
  hold: HandOverHold,
  report: Report,
  deps: PredecessorDeps,
): Promise<UpgradeView> {
  const candidate = new Candidate(deps.paths, program);
  try {
    const { type: _, root, ...after } = await candidate.booted(bootTimeout);
    report(`handing over to nsv ${after.version} (Node ${after.node}, pid ${after.pid})`);
    hold.transfer();
    await transfer(candidate, deps);
    if (deps.way === 'restart') {
      candidate.kill();
      writePid(deps.paths.pid, process.pid, root);
    } else {
      deps.source.writeJournal();
      commit(candidate, after.pid, root, deps.paths);
    }
    const { pid, execPath } = process;
    return { before: { pid, version, node: process.version, program: execPath }, after };
  } catch (error) {
    candidate.kill();
    throw error instanceof HandOverError ? error : new HandOverError(detailOf(error));
  }
}

/** Returns at a moment in which the candidate has everything, and no work is under way. */
async function transfer(candidate: Candidate, { source, lock }: PredecessorDeps): Promise<void> {
  const deadline = clock.now() + quietTimeout;
  let known = '';
  for (;;) {
    await source.settled();
    const state = source.snapshot((handle) => candidate.give(handle), lock);
    const text = JSON.stringify(state);
    const busy = source.busyWith();
    if (text === known && !busy) return;
    if (clock.now() > deadline)
      throw new HandOverError(
        busy ? `cannot hand over: ${busy}` : 'cannot hand over: the state of the apps keeps changing',
      );
    // Connections wait for a free process only briefly, but under load the next ones soon follow.
    if (text === known) await Promise.race([onceEmptied(), pause(clock, pollInterval)]);
    else await candidate.check(state, bootTimeout);
    known = text;
  }
}

/** Returns when the candidate has the home. Throws HandOverError if it never will; then nothing has changed. */
function commit(candidate: Candidate, pid: number, root: string, paths: HomePaths): void {
  writePid(paths.pendingPid, pid, root);
  candidate.commit();
  const deadline = clock.now() + takeOverTimeout;
  while (existsSync(paths.pendingPid)) {
    const { isThere } = candidate;
    if (isThere && clock.now() < deadline) sleepSync(1);
    else if (withdrawn(paths.pendingPid))
      throw new HandOverError(
        isThere
          ? `the new daemon did not take over within ${takeOverTimeout / 1_000} s`
          : 'the new daemon died while taking over',
      );
  }
}

/** Removes the file; false if the successor has just renamed it. */
function withdrawn(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

// Goes on where the daemon before this one was: its apps, with what runs of them.

import { Family, type Reaper } from '../../os/family.ts';
import type { Clock } from '../../shared/clock.ts';
import { detailOf } from '../../shared/errors.ts';
import type { Group } from '../apps/group.ts';
import * as operations from '../apps/operations.ts';
import type { Registry } from '../apps/registry.ts';
import type { Adopter } from '../launch/adopted.ts';
import type { Logger } from '../logger.ts';
import { isRunning } from '../process/lifecycle.ts';
import type { GroupRecord, Intent, Origin, ProcessRecord, Snapshot, Successor } from '../process/record.ts';
import { isSameRun } from '../state/origin.ts';
import { reunite, type Seat } from '../state/reunion.ts';
import { isStillThere, recordOf, type Stray } from '../state/search.ts';
import type { Legacy } from './continuity.ts';

export interface AdoptionMeans {
  origin: Origin;
  registry: Registry;
  reaper: Reaper;
  adopter: Adopter;
  clock: Clock;
  logger: Logger;
  createGroup(record: GroupRecord): Group;
  /** Attaches what restarts an app from outside. */
  attach(group: Group): Promise<void>;
  /** Gives it the sockets that the daemon before this one has handed over. */
  endow(group: Group): void;
  /** Stops an app and forgets it. `successor`: the app that is to take its place. */
  remove(group: Group, successor?: Successor): Promise<void>;
}

/** Nobody waits for what is finished here. */
const quiet = () => {};

/** Milliseconds for a Node process to report: it looks for a new daemon at least once a second. */
const workerPatience = 3_000;
/** Milliseconds for what belongs to nobody to end by itself. */
const strayPatience = 5_000;

/**
 * Resolves when all that is known has its place again, with the apps that ran until the system was started anew. What was
 * under way is finished after that.
 */
export async function adopt(legacy: Legacy, means: AdoptionMeans): Promise<Group[]> {
  const { snapshot, isOlder, problems, marked } = legacy;
  const { origin, registry, logger } = means;
  for (const problem of problems) logger.error(problem);
  if (!snapshot) {
    dispose(marked, problems.length > 0, means);
    return [];
  }
  registry.skipIds(snapshot.lastId);
  if (!isSameRun(snapshot.origin, origin)) {
    return layDown(snapshot, means);
  }
  // What carries a lower number and was not written down was started by an app: it only carries the mark on.
  const strays = marked.filter(({ mark }) => mark.sequence > snapshot.sequence);
  await reuniteAll(snapshot, strays, means);
  const names = new Set(snapshot.groups.map(({ spec }) => spec.name));
  const unknown = strays.filter(({ mark }) => !names.has(mark.app));
  dispose(unknown, isOlder, means);
  return [];
}

async function reuniteAll({ origin, groups }: Snapshot, strays: Stray[], means: AdoptionMeans): Promise<void> {
  const { clock, logger } = means;
  let processes = 0;
  for (const record of groups) {
    const group = await introduce(record, means);
    if (!group) continue;
    const own = strays.filter(({ mark }) => mark.app === group.name);
    const found = own.map((stray) => recordOf(stray, record.spec, clock));
    const reunited = reunite(record, found, ({ life }) => life !== null && isStillThere(life));
    const seats = reunited.map((seat) => asAsked(seat, record.intent));
    for (const seat of seats) takeSeat(group, seat, means);
    // Not earlier: an app of which nothing runs yet closes its sockets.
    endow(group, means);
    processes += seats.length;
    finish(group, record, means);
  }
  logger.info({ from: origin.pid, apps: groups.length, processes }, 'goes on where the daemon before it has ended');
}

/** Another boot, or another container: what ran is gone. It is listed, and `nsv resurrect` or `nsv restart` starts it. */
async function layDown({ groups }: Snapshot, means: AdoptionMeans): Promise<Group[]> {
  const asleep: Group[] = [];
  for (const record of groups) {
    if (record.intent?.kind === 'remove') continue;
    const processes = record.processes.filter(({ role }) => role === 'holder').map(stopped);
    const group = await introduce({ ...record, recent: [], intent: null, processes }, means);
    if (!group) continue;
    for (const process of processes) takeSeat(group, { record: process, holds: true, lives: false }, means);
    // What nsv had given up on was to run: a boot is another chance.
    if (record.processes.some(({ state }) => state.kind !== 'stopped')) asleep.push(group);
  }
  means.logger.info({ apps: groups.length }, 'the system has been started anew: no app of before runs');
  return asleep;
}

function stopped(record: ProcessRecord): ProcessRecord {
  return { ...record, state: { kind: 'stopped' }, life: null };
}

async function introduce(record: GroupRecord, means: AdoptionMeans): Promise<Group | undefined> {
  const { registry, logger, createGroup, attach } = means;
  try {
    const group = createGroup(record);
    registry.add(group);
    await attach(group);
    return group;
  } catch (error) {
    logger.error({ app: record.spec.name, detail: detailOf(error) }, 'cannot go on with this app');
    return undefined;
  }
}

function endow(group: Group, { logger, endow }: AdoptionMeans): void {
  try {
    endow(group);
  } catch (error) {
    logger.error({ app: group.name, detail: detailOf(error) }, 'cannot take over the sockets of this app');
  }
}

function takeSeat(group: Group, { record, holds, lives }: Seat, { adopter, clock }: AdoptionMeans): void {
  const process = holds ? group.at(record.slot) : group.createExtra(record);
  if (!process) return;
  const { life } = record;
  process.adopt(life || !isRunning(record.state) ? record : stopped(record), adopter.finderOf(life, lives));
  if (lives && process.child && group.spec.node) group.sockets.expect(process.child, after(clock, workerPatience));
  if (holds) return;
  process.stop();
  group.dropAtRest(process);
}

/** What a command was about to end, and has ended, did not fail. */
function asAsked(seat: Seat, intent: Intent | null): Seat {
  const { record, holds, lives } = seat;
  if (lives || !holds || !intent || !isAbout(intent, record.slot)) return seat;
  return { record: { ...stopped(record), endedAsAsked: true }, holds, lives };
}

function isAbout(intent: Intent, slot: number): boolean {
  if (intent.kind === 'scale') return slot >= intent.instances;
  return intent.kind === 'remove' || intent.slots.includes(slot);
}

/** Removes the app, and brings up the one that is to take its place. */
async function giveWay(group: Group, successor: Successor | undefined, means: AdoptionMeans): Promise<void> {
  const { registry, clock, remove } = means;
  await remove(group, successor);
  if (!successor || registry.find(group.name)) return;
  const { spec, active } = successor;
  const next = await introduce({ spec, createdAt: clock.wall(), recent: [], intent: null, processes: [] }, means);
  if (next && active) await operations.launch(next, false, quiet);
}

function after(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/** What a command was about to bring about. */
function finish(group: Group, { intent }: GroupRecord, means: AdoptionMeans): void {
  const finished = (work: Promise<void>) => {
    const told = (error: unknown) =>
      means.logger.error({ app: group.name, detail: detailOf(error) }, 'cannot finish what was begun');
    work.catch(told).then(() => group.intents.settle());
  };
  // What its processes bring back is kept as `--listen` has it.
  if (group.spec.node && group.isActive) finished(group.sockets.open(group.spec.listen));
  if (intent?.kind === 'remove') finished(giveWay(group, intent.successor, means));
  if (intent?.kind === 'scale') finished(operations.scale(group, intent.instances, quiet));
  if (intent?.kind === 'stop') finished(operations.stop({ group, slots: intent.slots }));
  if (intent?.kind === 'start') finished(operations.start({ group, slots: intent.slots }, undefined, false, quiet));
}

/**
 * What was not written down was started by a command that has had no answer: it is undone. Unless more than the last moment
 * is missing.
 */
function dispose(strays: Stray[], isMuchMissing: boolean, means: AdoptionMeans): void {
  for (const stray of strays) {
    if (isMuchMissing) means.logger.error({ pid: stray.pid, app: stray.mark.app }, 'runs on, unknown to nsv');
    else end(stray, means);
  }
}

function end(stray: Stray, { reaper, clock, logger }: AdoptionMeans): void {
  logger.warn({ pid: stray.pid, app: stray.mark.app }, 'ends what a command had begun to start');
  const family = new Family(stray, reaper);
  family.ask('SIGTERM');
  clock.after(strayPatience, () => family.kill());
}

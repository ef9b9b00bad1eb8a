// Continues where the previous daemon stopped: restores its apps and adopts their running processes.
import { ProcessTree, type TreeControl } from '../../os/process-tree.ts';
import { type Clock, pause } from '../../shared/clock.ts';
import { logMessages } from '../../shared/daemon-log.ts';
import { detailOf } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Group } from '../apps/group.ts';
import * as operations from '../apps/operations.ts';
import type { Registry } from '../apps/registry.ts';
import type { Adopter } from '../launch/adopted.ts';
import type { Logger } from '../logger.ts';
import { isStopped } from '../process/lifecycle/classes.ts';
import type {
  Intent,
  LeftRecord,
  PastApp,
  ProcessRecord,
  Snapshot,
  StateOrigin,
  Successor,
} from '../process/record.ts';
import { isSameRun } from '../state/origin.ts';
import { isStillThere, leftBy, type UnrecordedProcess } from '../state/search.ts';
import type { PreviousState } from './persistence.ts';

export interface AdoptionDeps {
  origin: StateOrigin;
  registry: Registry;
  reaper: TreeControl;
  adopter: Adopter;
  clock: Clock;
  logger: Logger;
  createGroup(record: PastApp): Group;
  /** Attaches the triggers that restart an app from outside. */
  attach(group: Group): Promise<void>;
  /** Gives the app the sockets that the previous daemon has handed over. */
  giveSockets(group: Group): void;
  /** Stops an app and forgets it. `successor`: the app that takes its place. */
  remove(group: Group, successor?: Successor): Promise<void>;
}

/** No client waits for the commands that are finished here. */
const quiet = () => {};

/** Milliseconds for a Node process to report: it looks for a new daemon at least once a second. */
const workerTimeout = 3_000;
/** Milliseconds for a process that belongs to no app to end after SIGTERM. */
const strayTimeout = 5_000;

/**
 * Restores all known apps and adopts their processes, then resolves with the apps that ran before a reboot. Commands
 * that were under way are finished after that.
 */
export async function adoptProcesses(previous: PreviousState, deps: AdoptionDeps): Promise<Group[]> {
  const { snapshot, isOlder, invalid, problems, marked } = previous;
  const { origin, registry, logger } = deps;
  for (const problem of problems) logger.error(problem);
  if (!snapshot) {
    dispose(marked, problems.length > 0, deps);
    return [];
  }
  registry.skipIds(snapshot.lastId);
  if (!isSameRun(snapshot.origin, origin)) {
    return restoreStopped(snapshot, deps);
  }
  // A process with a lower number and no record was started by an app, and has only inherited the mark.
  const strays = marked.filter(({ mark }) => mark.sequence > snapshot.sequence);
  await adoptRunning(snapshot, { marked, strays }, deps);
  const names = new Set(snapshot.groups.map(({ spec }) => spec.name));
  const unknown = strays.filter(({ mark }) => !names.has(mark.app));
  const quarantined = marked.filter(
    ({ mark }) => !names.has(mark.app) && invalid.some(({ name }) => name === mark.app),
  );
  dispose([...new Set([...unknown, ...quarantined])], isOlder || invalid.length > 0, deps);
  return [];
}

async function adoptRunning(
  { origin, groups }: Snapshot,
  { marked, strays }: { marked: readonly UnrecordedProcess[]; strays: readonly UnrecordedProcess[] },
  deps: AdoptionDeps,
): Promise<void> {
  const { clock, logger } = deps;
  const isThere = amongThose(marked);
  let processes = 0;
  for (const record of groups) {
    const found = strays.filter(({ mark }) => mark.app === record.spec.name).map((stray) => leftBy(stray, clock));
    // A slot without a record has the id of the process that was found in it.
    const holders = found.map((process) => ({ ...process, role: 'holder' as const }));
    const group = await introduce({ ...record, processes: [...holders, ...record.processes] }, deps);
    if (!group) continue;
    adoptSlots(group, [...record.processes.map(leftIn), ...found], record.intent, isThere, deps);
    processes += group.all.filter(({ child }) => child).length;
    // Not earlier: an app without a running process closes its sockets.
    giveSockets(group, deps);
    receiveSockets(group, deps);
    finish(group, record.intent, { logger, replaceRemoved: (old, successor) => replaceRemoved(old, successor, deps) });
  }
  logger.info({ from: origin.pid, apps: groups.length, processes }, 'adopted the apps of the previous daemon');
}

/** After a reboot or in another container, no process is left: `nsv resurrect` or `nsv restart` starts the apps. */
async function restoreStopped({ groups }: Snapshot, deps: AdoptionDeps): Promise<Group[]> {
  const notResurrected: Group[] = [];
  for (const record of groups) {
    if (record.intent?.kind === 'remove') continue;
    const group = await introduce({ ...record, recent: [], intent: null }, deps);
    if (!group) continue;
    for (const process of record.processes)
      if (process.role === 'holder')
        group.at(process.slot)?.adopt(leftIn(process), 'rebooted', deps.adopter.finderOf(null, false));
    // An app that nsv gave up on was meant to run, and a boot is another chance.
    if (record.processes.every(isStopped)) continue;
    notResurrected.push(group);
    for (const process of group.processes) process.isLeftAlone = true;
  }
  deps.logger.info({ apps: groups.length }, logMessages.rebooted);
  return notResurrected;
}

function leftIn({ state, ...record }: ProcessRecord): LeftRecord {
  return { ...record, was: state };
}

async function introduce(record: PastApp, deps: AdoptionDeps): Promise<Group | undefined> {
  const { registry, logger, createGroup, attach } = deps;
  try {
    const group = createGroup(record);
    registry.add(group);
    await attach(group);
    return group;
  } catch (error) {
    logger.error({ app: record.spec.name, detail: detailOf(error) }, 'failed to restore this app');
    return undefined;
  }
}

function giveSockets(group: Group, { logger, giveSockets }: AdoptionDeps): void {
  try {
    giveSockets(group);
  } catch (error) {
    logger.error({ app: group.name, detail: detailOf(error) }, 'failed to take over the sockets of this app');
  }
}

/** Waits for the sockets that the processes hand back, then holds those of `--listen`. */
function receiveSockets({ name, spec, isActive, sockets }: Group, { logger }: AdoptionDeps): void {
  if (!spec.node || !isActive) return;
  sockets
    .open(spec.listen)
    .catch((error) => logger.error({ app: name, detail: detailOf(error) }, 'failed to open the sockets of this app'));
}

function adoptSlots(
  group: Group,
  left: readonly LeftRecord[],
  intent: Intent | null,
  isThere: typeof isStillThere,
  deps: AdoptionDeps,
): void {
  const { adopter, clock } = deps;
  const candidates = left.map((record) => ({ record, lives: isThere(record.identity) }));
  const living = new Set(candidates.flatMap(({ record: { identity }, lives }) => (identity && lives ? identity : [])));
  const finderOf = ({ identity }: LeftRecord) => adopter.finderOf(identity, identity !== null && living.has(identity));
  for (const index of new Set(left.map(({ slot }) => slot))) {
    const own = candidates.filter(({ record }) => record.slot === index);
    group.adopt(index, own, intent !== null && isAbout(intent, index), finderOf);
  }
  if (!group.spec.node) return;
  const pids = new Set([...living].map(({ pid }) => pid));
  for (const { child } of group.all) {
    if (child && pids.has(child.pid)) group.sockets.expect(child, pause(clock, workerTimeout));
  }
}

/** Those that were found by their marks a moment ago need no second look, which takes a tenth of a second for a thousand. */
function amongThose(marked: readonly UnrecordedProcess[]): typeof isStillThere {
  const found = new Map(marked.map((process) => [process.text, process]));
  return (identity) => {
    if (!identity) return false;
    const same = found.get(identity.mark);
    return (same?.pid === identity.pid && same.startTime === identity.startTime) || isStillThere(identity);
  };
}

function isAbout(intent: Intent, slot: number): boolean {
  if (intent.kind === 'scale') return slot >= intent.instances;
  return intent.kind === 'remove' || intent.slots.includes(slot);
}

/** Removes the app, then starts the one that takes its place. */
async function replaceRemoved(group: Group, successor: Successor | undefined, deps: AdoptionDeps): Promise<void> {
  const { registry, clock, remove } = deps;
  await remove(group, successor);
  if (!successor || registry.find(group.name)) return;
  const { active, ...app } = successor;
  const record = { ...app, createdAt: clock.wall(), recent: [], intent: null, processes: [] };
  const next = await introduce(record, deps);
  if (next && active) await operations.launch(next, false, quiet);
}

/**
 * Ends processes without a record: the command that started them has had no reply, so it is undone. They keep running
 * if more than the last moment of the state is missing, or the record of an app was set aside or could not be written.
 */
function dispose(strays: UnrecordedProcess[], isMuchMissing: boolean, deps: AdoptionDeps): void {
  for (const stray of strays) {
    if (isMuchMissing || stray.unrecorded)
      deps.logger.error(
        { pid: stray.pid, app: stray.mark.app },
        'process is still running, but the state file has no usable record of it',
      );
    else end(stray, deps);
  }
}

function end(stray: UnrecordedProcess, { reaper, clock, logger }: AdoptionDeps): void {
  logger.warn({ pid: stray.pid, app: stray.mark.app }, 'stopping a process that an interrupted command had started');
  const { pid, startTime, mark } = stray;
  const tree = new ProcessTree({ pid, startTime, tree: { token: mark.token, uid: mark.uid } }, reaper);
  tree.ask('SIGTERM');
  clock.after(strayTimeout, () => tree.kill());
}

export interface UnfinishedDeps {
  logger: Pick<Logger, 'error'>;
  /** Removes the app, then starts the one that takes its place. */
  replaceRemoved(group: Group, successor: Successor | undefined): Promise<void>;
}

/**
 * Finishes the command on an app that was under way when the previous daemon died. Until it is finished, or has failed, the intent
 * stays recorded: this daemon may die as well.
 */
export function finish(group: Group, intent: Intent | null, deps: UnfinishedDeps): void {
  if (!intent) return;
  perform(group, intent, deps)
    .catch((error) =>
      deps.logger.error({ app: group.name, detail: detailOf(error) }, 'failed to finish an interrupted command'),
    )
    .then(() => group.intents.settle())
    .catch(throwUncaught);
}

function perform(group: Group, intent: Intent, { replaceRemoved }: UnfinishedDeps): Promise<void> {
  switch (intent.kind) {
    case 'remove':
      return replaceRemoved(group, intent.successor);
    case 'scale':
      return operations.scale(group, intent.instances, quiet);
    case 'stop':
      return operations.stop({ group, slots: intent.slots });
    case 'start':
      return startAgain({ group, slots: intent.slots });
  }
}

async function startAgain(selection: operations.Selection): Promise<void> {
  if (await selection.group.hold.mayStart()) await operations.start(selection, undefined, false, quiet);
}

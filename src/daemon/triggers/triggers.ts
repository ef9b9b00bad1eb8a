// Reasons to replace the processes of an app: file changes, a cron pattern, limits of memory, age and requests, blocked loops.
// Also the schedule by which its logs are rotated.
import { type FieldName, optionName } from '../../config/app-spec.ts';
import { rotationPattern } from '../../config/options/log-fields.ts';
import { asked, describeReason, type EndReason } from '../../ipc/records/deaths.ts';
import { detailOf, failure, isFailure } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import { renderDuration } from '../../shared/units.ts';
import type { Group } from '../apps/group.ts';
import { processesOf, reload, type Selection } from '../apps/operations.ts';
import { everything } from '../apps/registry.ts';
import type { Child } from '../launch/launcher.ts';
import { leastShare, randomisedLimit } from '../process/limit-jitter.ts';
import type { ManagedProcess } from '../process/process.ts';
import { isRenewable } from '../slot/replacement.ts';
import { attachMemoryLimits, type MemoryDeps } from './memory-limits.ts';
import type { WatchDeps } from './watch/watch-files.ts';
import { attachWatchdog } from './watchdog/watchdog.ts';

export interface TriggerDeps extends MemoryDeps, WatchDeps {
  rotateLogs(group: Group): void;
}

/**
 * Attaches the triggers of the app's settings; returns a function that detaches them. Processes are replaced in the
 * same way as by `nsv reload`. Those that nsv has given up on, or whose work is done, run again, and a cron pattern also starts
 * what was only added to the list; what a person has stopped stays stopped. Rejects with BAD_OPTION for an invalid cron pattern, and for a limit of requests or a watchdog on an app
 * that is not a Node program.
 */
export async function attachTriggers(group: Group, deps: TriggerDeps): Promise<() => void> {
  const renew = createRenewal(group, deps);
  const { watch, cronRestart, logRotate, maxAge, maxRequests, watchdog } = group.spec;
  if (maxRequests > 0) expectNode(group, 'maxRequests');
  if (watchdog > 0) expectNode(group, 'watchdog');
  const detach: (() => void)[] = attachMemoryLimits(group, deps);
  if (cronRestart !== undefined) {
    const reason = asked('cron', `cron pattern "${cronRestart}"`);
    const run = () => renew(everything(group), reason, () => group.spec.cronRestart === cronRestart);
    detach.push(await attachSchedule(cronRestart, 'cronRestart', deps, run));
  }
  const pattern = rotationPattern(logRotate);
  if (pattern !== undefined)
    detach.push(await attachSchedule(pattern, 'logRotate', deps, () => deps.rotateLogs(group)));
  if (watch.length > 0) detach.push(await attachWatcher(group, deps, renew));
  if (maxAge > 0) detach.push(attachAge(maxAge, group, deps));
  if (maxRequests > 0) detach.push(attachRequests(group, deps));
  if (watchdog > 0) detach.push(attachWatchdog(watchdog, group, deps));
  return () => {
    for (const each of detach) each();
  };
}

/** `isWanted`: whether the setting that asks for it still does, which a command before it may have changed. */
type Renew = (selection: Selection, reason: EndReason, isWanted: () => boolean) => void;

/** Reasons that arrive during a replacement cause one more replacement afterwards, not one each. */
function createRenewal(group: Group, { events }: TriggerDeps): Renew {
  let isBusy = false;
  const due = new Set<number>();
  let why: EndReason;
  let wanted: (() => boolean)[] = [];
  async function work(): Promise<void> {
    isBusy = true;
    while (due.size > 0) {
      const selection = { group, slots: [...due] };
      const [asks, reason] = [wanted, why];
      due.clear();
      wanted = [];
      const isWanted = (process: ManagedProcess) => isToRun(process, reason) && asks.some((each) => each());
      const { name: app } = group;
      await reload(selection, { reason, isWanted }, () => {}).catch((error) => {
        // What another command has interrupted is that command's affair.
        if (!isFailure(error, 'INTERRUPTED'))
          events.emit({ type: 'reload-failed', app, reason: describeReason(reason), detail: detailOf(error) });
      });
    }
    isBusy = false;
  }
  const isToRun = (process: ManagedProcess, reason: EndReason) => isRenewable(group.spec, process, reason);
  return ({ slots }, reason, isWanted) => {
    if (!isWanted() || !processesOf({ group, slots }).some((process) => isToRun(process, reason))) return;
    events.emit({ type: 'replace', app: group.name, reason: describeReason(reason) });
    if (due.size === 0) why = reason;
    for (const slot of slots) due.add(slot);
    wanted.push(isWanted);
    if (!isBusy) work().catch(throwUncaught);
  };
}

/** `setting`: the one that the pattern comes from. */
async function attachSchedule(
  pattern: string,
  setting: FieldName,
  { clock }: TriggerDeps,
  run: () => void,
): Promise<() => void> {
  const { createSchedule } = await import('./schedule.ts');
  return createSchedule({ pattern, setting, clock, run }).close;
}

async function attachWatcher(group: Group, deps: TriggerDeps, renew: Renew): Promise<() => void> {
  const { watchFiles } = await import('./watch/watch-files.ts');
  const isWatched = () => group.spec.watch.length > 0;
  return watchFiles(group, deps, (file) => renew(everything(group), asked('watch', `${file} changed`), isWatched));
}

/** Replaces each process that exceeds its own randomised age limit, based on this one: milliseconds. */
export function attachAge(
  limit: number,
  group: Pick<Group, 'processes'>,
  { clock }: Pick<TriggerDeps, 'clock'>,
): () => void {
  /** Infinity once the process is to be replaced. */
  const limits = new WeakMap<Child, number>();
  let cancel = nap(limit * leastShare);

  function nap(ms: number): () => void {
    return clock.after(ms, look);
  }

  /** A process that starts after this check is not due before the shortest limit, so the timer may sleep until then. */
  function look(): void {
    const now = clock.now();
    const rests = group.processes.map((process) => {
      const { child, state } = process;
      if (!child || !('since' in state)) return Number.POSITIVE_INFINITY;
      const own = limits.get(child) ?? randomisedLimit(limit);
      const rest = state.since + own - now;
      limits.set(child, rest > 0 ? own : Number.POSITIVE_INFINITY);
      if (rest > 0) return rest;
      process.exceed({ cause: 'age', detail: `${renderDuration(now - state.since)} old` });
      return Number.POSITIVE_INFINITY;
    });
    cancel = nap(Math.min(limit * leastShare, ...rests));
  }

  return () => cancel();
}

/** A trial of a reload may reach the limit before it has its slot, and before these triggers are attached. */
function attachRequests(group: Group, { events }: TriggerDeps): () => void {
  const replace = (process: ManagedProcess) => {
    const { requestsAtLimit } = process;
    if (requestsAtLimit === undefined) return;
    process.exceed({ cause: 'requests', detail: `${requestsAtLimit} requests` });
  };
  for (const process of group.processes) replace(process);
  return events.subscribe((event) => {
    if (event.type !== 'request-limit' || event.app !== group.name) return;
    const process = group.all.find(({ child }) => child?.pid === event.pid);
    if (process) replace(process);
  });
}

function expectNode({ spec }: Group, setting: FieldName): void {
  if (spec.node) return;
  const problem = `${optionName(setting)} works only for Node programs, and "${spec.script}" is not one`;
  throw failure('BAD_OPTION', { problems: [problem] });
}

// Completes the state by what the spawn log says of processes that were started while the state could not be written. Pure.
import type { GroupRecord, Intent, ProcessRecord, Snapshot } from '../process/record.ts';
import type { UnrecordedProcess } from './search.ts';

type Lives = (process: ProcessRecord) => boolean;

/** `found`: running processes that are newer than the snapshot. `lives`: whether a recorded process still runs. */
export function withUnrecorded(
  snapshot: Snapshot,
  found: readonly UnrecordedProcess[],
  lives: Lives,
  wall: number,
): Snapshot {
  const started = found
    .filter(({ unrecorded }) => unrecorded)
    .sort((one, other) => one.mark.sequence - other.mark.sequence);
  const names = new Set([...snapshot.groups.map(({ spec }) => spec.name), ...started.map(({ mark }) => mark.app)]);
  const groups = [...names].flatMap((name) => {
    const record = snapshot.groups.find(({ spec }) => spec.name === name);
    const own = started.filter(({ mark }) => mark.app === name);
    return completed(record, holdersAmong(own, record, lives), wall) ?? [];
  });
  const lastId = Math.max(snapshot.lastId, ...started.map(({ mark }) => mark.id));
  return { ...snapshot, lastId, groups };
}

/** Without trials that do not get their slot, because the process that they were to replace still runs. */
function holdersAmong(
  own: readonly UnrecordedProcess[],
  record: GroupRecord | undefined,
  lives: Lives,
): UnrecordedProcess[] {
  const recorded = record?.processes.filter((process) => process.role === 'holder' && lives(process)) ?? [];
  const others = own.filter(({ mark }) => !mark.isTrial).map(({ mark }) => mark);
  const held = new Set([...recorded, ...others].map(({ slot }) => slot));
  return own.filter(({ mark }) => !mark.isTrial || !held.has(mark.slot));
}

/** `holders`: the newest last. Undefined if the settings of the app are unknown. */
function completed(
  record: GroupRecord | undefined,
  holders: readonly UnrecordedProcess[],
  wall: number,
): GroupRecord | undefined {
  if (record && holders.length === 0) return record;
  const known = holders.findLast(({ unrecorded }) => unrecorded?.spec)?.unrecorded?.spec ?? record?.spec;
  if (!known) return undefined;
  const slots = holders.map(({ mark }) => mark.slot);
  const spec = { ...known, instances: Math.max(known.instances, ...slots.map((slot) => slot + 1)) };
  const { processes = [], createdAt = wall, recent = [], ...rest } = record ?? {};
  const filled = new Set([...slots, ...processes.map(({ slot }) => slot)]);
  const missing = Array.from({ length: spec.instances }, (_, slot) => slot).filter((slot) => !filled.has(slot));
  // A recorded intent is older than these processes. A job that is missing may have finished.
  const intent: Intent | null = spec.autorestart && missing.length > 0 ? { kind: 'start', slots: missing } : null;
  return { ...rest, spec, createdAt, recent, processes, intent };
}

// What a daemon may have written down.
import { parseAppSpec } from '../../src/config/app-spec.ts';
import type { LeftState } from '../../src/daemon/process/lifecycle/state.ts';
import { renderMark } from '../../src/daemon/process/mark.ts';
import type { GroupRecord, ProcessRecord, Role, Snapshot, StateOrigin } from '../../src/daemon/process/record.ts';

/** As in a mark. */
export const token = 'a'.repeat(32);

export const origin: StateOrigin = { machine: 'm', home: 'h', boot: 'b', pids: 'p', uid: 0, pid: 1 };

/** A process with the number `sequence`, which is its pid as well; 0 for one that does not run. */
export function processRecord(sequence: number, rest: Partial<ProcessRecord> = {}): ProcessRecord {
  const { slot = 0, role = 'holder' } = rest;
  const isTrial = role === ('trial' satisfies Role);
  const mark = renderMark({ token, home: 'h', sequence, isTrial, id: slot, slot, restarts: 0, uid: 0, app: 'web' });
  const online: LeftState = { kind: 'online', failures: 0, pid: sequence, since: 0, loadedAt: 0 };
  return {
    id: slot,
    slot,
    role,
    state: sequence > 0 ? online : { kind: 'stopped' },
    restarts: 0,
    cutShort: 0,
    lastExit: null,
    endedAsAsked: false,
    spawnedAt: 0,
    expectsToListen: false,
    hasListened: null,
    isSilent: false,
    identity: sequence > 0 ? { pid: sequence, startTime: 1, mark, outFile: '/out', errorFile: '/err' } : null,
    ...rest,
  };
}

export function groupRecord(processes: ProcessRecord[], rest: Partial<GroupRecord> = {}): GroupRecord {
  const spec = parseAppSpec({ name: 'web', script: '/app.js', cwd: '/', node: true, instances: 1 });
  return { spec, createdAt: 0, recent: [], intent: null, processes, ...rest };
}

export function snapshot(rest: Partial<Snapshot> = {}): Snapshot {
  return { origin, sequence: 1, lastId: 0, groups: [groupRecord([processRecord(1)])], ...rest };
}

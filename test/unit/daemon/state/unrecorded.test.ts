// What the next daemon knows of processes that were started while the state could not be written.
import { expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import type { GroupRecord, Intent } from '../../../../src/daemon/process/record.ts';
import type { UnrecordedProcess } from '../../../../src/daemon/state/search.ts';
import { withUnrecorded } from '../../../../src/daemon/state/unrecorded.ts';
import { groupRecord, processRecord, snapshot, token } from '../../../helpers/records.ts';

const app = (instances: number, rest: object = {}) =>
  parseAppSpec({ name: 'web', script: '/app.js', cwd: '/', node: true, instances, ...rest });

/** A process that was found, and whose settings are in the spawn log if there was room. */
function found(
  sequence: number,
  slot: number,
  spec: GroupRecord['spec'] | undefined,
  isTrial = false,
): UnrecordedProcess {
  const mark = { token, home: 'h', sequence, isTrial, id: slot, slot, restarts: 0, uid: 0, app: spec?.name ?? 'web' };
  return { pid: sequence, startTime: 1, mark, text: '', unrecorded: spec ? { spec } : {} };
}

interface Before {
  living?: number[];
  intent?: Intent;
}

/** The processes 1 and 2 are in the record of the app; of these, `living` still run. */
function completed(instances: number, strays: UnrecordedProcess[], { living = [], intent }: Before) {
  const processes = [processRecord(1), processRecord(2, { slot: 1 })].slice(0, instances);
  const recorded = instances > 0 ? [groupRecord(processes, { spec: app(instances), intent: intent ?? null })] : [];
  const before = snapshot({ groups: recorded, lastId: instances - 1 });
  const { groups, lastId } = withUnrecorded(before, strays, ({ identity }) => living.includes(identity!.pid), 5);
  return groups.map(({ spec, intent: next }) => [spec.instances, spec.killTimeout, next, lastId]);
}

const again = (...slots: number[]): Intent => ({ kind: 'start', slots });
const stop: Intent = { kind: 'stop', slots: [0] };
const remove: Intent = { kind: 'remove' };
const later = { killTimeout: 9 };
const { killTimeout: usual } = app(1);
const newer = app(1, later);
const pair = app(2, later);
const both = { living: [1, 2] };
const job = app(2, { autorestart: false });

it.each<[title: string, instances: number, strays: UnrecordedProcess[], before: Before, expected: unknown[]]>([
  ['nothing, as everything was recorded', 2, [], { ...both, intent: again(1) }, [[2, usual, again(1), 1]]],
  ['a new app', 0, [found(3, 0, newer)], {}, [[1, 9, null, 0]]],
  ['a part of a new app, which is to run as a whole', 0, [found(3, 0, app(3))], {}, [[3, usual, again(1, 2), 0]]],
  ['the part of a new job that has not finished', 0, [found(3, 1, job)], {}, [[2, usual, null, 1]]],
  ['a new app whose settings were too long', 0, [found(3, 0, undefined)], {}, []],
  ['more instances', 2, [found(3, 2, app(4)), found(4, 3, app(4))], both, [[4, usual, null, 3]]],
  ['more instances, without settings', 2, [found(3, 2, undefined)], both, [[3, usual, null, 2]]],
  ['an app with new settings', 2, [found(3, 0, pair), found(4, 1, pair)], {}, [[2, 9, null, 1]]],
  ['the newest settings', 1, [found(4, 0, newer), found(3, 1, app(2))], {}, [[2, 9, null, 1]]],
  ['a reload that was done', 1, [found(3, 0, newer, true)], {}, [[1, 9, null, 0]]],
  [
    'a reload of a new app that was not done',
    0,
    [found(3, 0, app(1)), found(4, 0, newer, true)],
    {},
    [[1, usual, null, 0]],
  ],
  ['a reload that was not done', 1, [found(3, 0, newer, true)], { living: [1] }, [[1, usual, null, 0]]],
  ['an app that was started after a stop', 1, [found(3, 0, app(1))], { intent: stop }, [[1, usual, null, 0]]],
  ['an app that was started after a deletion', 1, [found(3, 0, app(1))], { intent: remove }, [[1, usual, null, 0]]],
])('the record is completed by unrecorded processes: %s', (_title, instances, strays, before, expected) => {
  expect(completed(instances, strays, before)).toEqual(expected);
});

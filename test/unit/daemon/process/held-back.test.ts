// Which processes accept nothing because they are not ready.
import { expect, it } from 'vitest';
import type { State } from '../../../../src/daemon/process/lifecycle/state.ts';
import { isHeldBack, type ProcessContext, type ProcessOfApp } from '../../../../src/daemon/process/process-context.ts';

const running = { failures: 0, pid: 1, since: 0 };
const starting: State = { kind: 'starting', ...running, loadedAt: null, deadline: 30_000, late: false };
const late: State = { ...starting, deadline: null, late: true };
const online: State = { kind: 'online', ...running, loadedAt: 0 };
const [url, command] = [{ http: 'http://' }, { exec: 'curl localhost' }];

it.each<[expected: boolean, what: string, state: State, settings: object, problem?: string]>([
  [false, 'says nothing', starting, {}],
  [true, 'is to send "ready"', starting, { waitReady: true }],
  [true, 'is probed', starting, { readyProbe: url }],
  [false, 'is probed by a command, which may have to connect', starting, { readyProbe: command }],
  [false, 'is ready', online, { waitReady: true }],
  [false, 'has had its time', late, { waitReady: true }],
  [false, 'follows one that has never sent "ready"', starting, { waitReady: true }, 'it did not send "ready"'],
])('%s: a process that %s', (expected, _, state, settings, problem) => {
  const app = { settingsOf: () => settings, problems: { detailOf: () => problem ?? null } };
  const process = { state, child: undefined };
  expect(isHeldBack(app as unknown as ProcessContext, process as ProcessOfApp)).toBe(expected);
});

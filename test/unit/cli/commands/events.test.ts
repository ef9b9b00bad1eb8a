import { describe, expect, it } from 'vitest';
import { viewEvent } from '../../../../src/daemon/control/view.ts';
import type { EventView } from '../../../../src/ipc/journal/event-views.ts';
import { run } from '../fake-context.ts';

const at = Date.UTC(2026, 0, 31, 9);
const web = { at, app: 'web', id: 3, slot: 1 };
const exit: EventView = { ...web, type: 'exit', pid: 42, exit: { code: 1, signal: null }, asked: false };
const ann = { user: 'ann', uid: 0, terminal: '/dev/pts/3', host: '192.0.2.7', pid: 7, command: 'nsv restart all' };

const lines: [EventView, string][] = [
  [{ ...web, type: 'start', pid: 42 }, '3|web|1 start pid 42'],
  [{ ...exit, exit: { code: 3, signal: null } }, '3|web|1 exit pid 42, code 3'],
  [
    { ...exit, exit: { code: null, signal: 'SIGTERM' }, asked: true },
    '3|web|1 exit pid 42, signal SIGTERM, on request',
  ],
  [{ ...exit, asked: true, cause: 'uncaught error' }, '3|web|1 exit pid 42, code 1, uncaught error'],
  [{ ...web, type: 'restart', delay: 1_500 }, '3|web|1 restart in 1s'],
  [{ ...web, type: 'restart', delay: 0 }, '3|web|1 restart'],
  [{ ...web, type: 'giveup', reason: 'too many restarts' }, '3|web|1 giveup too many restarts'],
  [{ ...web, type: 'message', pid: 42, message: { type: 'order', data: [1] } }, '3|web|1 message pid 42, order [1]'],
  [{ type: 'reload', at, app: 'web' }, 'web reload'],
  [{ ...web, type: 'spawn-failed', reason: 'no such file' }, '3|web|1 failed to start no such file'],
  [{ type: 'replace', at, app: 'web', reason: 'app.js changed' }, 'web replace app.js changed'],
  [{ ...web, type: 'leaving', pid: 42, reason: 'uncaught' }, '3|web|1 leaving pid 42, uncaught'],
  [
    { type: 'command', at, apps: ['web', 'api'], method: 'restart', by: ann },
    'web,api command nsv restart all, by ann on pts/3 from 192.0.2.7, pid 7',
  ],
  [{ type: 'command', at, app: 'web', method: 'reload', by: { signal: 'SIGHUP' } }, 'web command reload, by SIGHUP'],
  [{ type: 'command', at, app: 'web', method: 'stop', by: { uid: 7 } }, 'web command stop, by uid 7'],
  [{ type: 'command', at, apps: [], method: 'kill', by: {} }, 'command kill, by an unknown client'],
  [{ type: 'command-failed', at, app: 'web', method: 'scale', detail: 'no' }, 'web command failed scale, no'],
  [{ type: 'daemon', at, pid: 7, detail: 'exits' }, 'daemon pid 7, exits'],
  [{ ...exit, count: 276, since: at - 4_000 }, '3|web|1 exit pid 42, code 1, 276 times in 4s'],
  [{ ...web, type: 'ready-timeout', pid: 42 }, '3|web|1 not ready in time pid 42'],
];

describe('nsv events', () => {
  it('prints a line for each', async () => {
    const { stdout, calls } = await run(['events', 'web'], { events: lines.map(([event]) => event) });
    expect(calls).toEqual([['follow', { targets: ['web'] }]]);
    expect(stdout).toBe(lines.map(([, line]) => `2026-01-31T09:00:00.000Z ${line}\n`).join(''));
  });

  it('prints an object for each with --json', async () => {
    const { stdout } = await run(['events', '--json'], { events: lines.map(([event]) => event) });
    const printed = stdout.trim().split('\n');
    expect(printed.map((line) => JSON.parse(line))).toEqual(lines.map(([event]) => event));
  });
});

describe('on the wire', () => {
  it('an event of giving up contains no settings, because these include the environment', () => {
    const spec = { env: { SECRET: '1' } } as never;
    const event = { type: 'giveup', app: 'web', id: 3, slot: 1, reason: 'why', lastError: 'Error', spec } as const;
    expect(viewEvent(event, at)).toEqual({ ...web, type: 'giveup', reason: 'why' });
  });
});

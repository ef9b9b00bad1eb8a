import { describe, expect, it } from 'vitest';
import { parseCaller, parseEventLine, renderEventLine } from '../../../../src/ipc/journal/event-line.ts';
import type { EventView } from '../../../../src/ipc/journal/event-views.ts';

const event: EventView = {
  type: 'exit',
  at: 1_700_000_000_000,
  app: 'web',
  id: 3,
  slot: 1,
  pid: 42,
  exit: { code: null, signal: 'SIGTERM' },
  asked: true,
};

describe('a line of the journal', () => {
  it.each<EventView>([
    event,
    { type: 'command', at: 1, apps: ['web', 'worker'], method: 'stop', by: { user: 'ann', uid: 1_000, pid: 7 } },
    { type: 'command', at: 1, apps: ['web'], method: 'reload', by: { signal: 'SIGHUP' } },
    { ...event, count: 40, since: 1_600_000_000_000 },
  ])('is read as it was written: $type', (written) => {
    expect(parseEventLine(renderEventLine(written))).toEqual(written);
  });

  it('is truncated if it is too long', () => {
    const long = renderEventLine({ ...event, type: 'problem', about: 'post_stop', detail: 'x'.repeat(100_000) });
    expect(parseEventLine(long)?.detail).toHaveLength(2_000);
  });

  it.each([
    '',
    '{"type":"ex',
    'null',
    '[]',
    '7',
    '{}',
    '{"type":"exit"}',
    '{"type":1,"at":1}',
    '{"type":"exit","at":1e300}',
  ])('is not an event: %j', (line) => {
    expect(parseEventLine(line)).toBeUndefined();
  });

  it('loses fields of the wrong type', () => {
    const spoiled = { ...event, app: 7, id: 'x', exit: { code: 'x' }, files: [1], by: [], since: 1e300, else: 1 };
    expect(parseEventLine(JSON.stringify(spoiled))).toEqual({
      type: 'exit',
      at: event.at,
      slot: 1,
      pid: 42,
      asked: true,
      by: {},
    });
  });

  it('is kept if its type is unknown', () => {
    expect(parseEventLine('{"type":"teleported","at":1,"app":"web"}')).toEqual({
      type: 'teleported',
      at: 1,
      app: 'web',
    });
  });
});

describe('the self-description of a client', () => {
  it('keeps only valid fields', () => {
    const reported = {
      user: 'ann',
      uid: -1,
      pid: 7.5,
      terminal: '/dev/pts/3',
      command: 'x'.repeat(5_000),
      signal: 'SIGHUP',
    };
    expect(parseCaller(reported)).toEqual({ user: 'ann', terminal: '/dev/pts/3', command: 'x'.repeat(1_000) });
  });

  it.each([undefined, null, 7, 'ann', []])('is empty for %j', (reported) => {
    expect(parseCaller(reported)).toEqual({});
  });
});

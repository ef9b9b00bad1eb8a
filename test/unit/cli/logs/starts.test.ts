// Where the output of each process begins: what the events of starts tell of the files that are read.
import { describe, expect, it } from 'vitest';
import { Starts } from '../../../../src/cli/logs/starts.ts';
import type { EventView } from '../../../../src/ipc/journal/event-views.ts';
import { processView } from '../fake-context.ts';

function marking() {
  const marks: string[] = [];
  const starts = new Starts({
    mark: (file, offset, { app, slot, at }, isNew) =>
      void marks.push([file, offset, app, slot ?? '-', at, ...(isNew ? ['new'] : [])].join(' ')),
  });
  return { marks, starts };
}

const event: EventView = { type: 'start', at: 7, app: 'web', id: 0, slot: 0, pid: 12, logsAt: { out: 20, err: 3 } };
const first = processView({ outFile: '/out', errorFile: '/err' });

describe('a start', () => {
  it('is marked in the files of its process', () => {
    const { marks, starts } = marking();
    starts.know([first]);
    starts.onEvent(event, true);
    expect(marks).toEqual(['/out 20 web - 7 new', '/err 3 web - 7 new']);
  });

  it('names the instance if there are several', () => {
    const { marks, starts } = marking();
    starts.know([first, processView({ id: 1, slot: 1, outFile: '/out-1', errorFile: '/dev/null' })]);
    starts.onEvent({ ...event, slot: 1, logsAt: { out: 5, err: undefined } }, false);
    expect(marks).toEqual(['/out-1 5 web 1 7']);
  });

  it('is marked only when the files of its new app are known', () => {
    const { marks, starts } = marking();
    starts.know([processView({ name: 'api' })]);
    starts.onEvent(event, true);
    expect(marks).toEqual([]);
    starts.know([first]);
    starts.know([first]);
    expect(marks).toHaveLength(2);
  });

  it.each([
    ['another event', { ...event, type: 'online' }],
    ['one without places in its logs', { ...event, logsAt: undefined }],
    ['one without an instance', { ...event, slot: undefined }],
  ] as [string, EventView][])('is not marked for %s', (_, other) => {
    const { marks, starts } = marking();
    starts.know([first]);
    starts.onEvent(other, true);
    expect(marks).toEqual([]);
  });
});

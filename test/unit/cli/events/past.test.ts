import { expect, it } from 'vitest';
import { pastFilter } from '../../../../src/cli/events/past.ts';
import type { EventView } from '../../../../src/ipc/journal/event-views.ts';
import type { ProcessView } from '../../../../src/ipc/views.ts';

const past: EventView[] = [
  { type: 'daemon', at: 0, pid: 1, detail: 'starts' },
  { type: 'command', at: 1, method: 'restart', app: 'web', by: {} },
  { type: 'start', at: 2, app: 'web', id: 0, slot: 0, pid: 2 },
  { type: 'start', at: 3, app: 'web', id: 1, slot: 1, pid: 3 },
  { type: 'command', at: 4, method: 'stop', apps: ['web', 'gone'], by: {} },
  { type: 'delete', at: 5, app: 'gone' },
];
const running = [{ name: 'web', namespace: 'shop' }] as ProcessView[];

it.each<[string[], number[]]>([
  [[], [0, 1, 2, 3, 4, 5]],
  [['all'], [1, 2, 3, 4, 5]],
  [['web'], [1, 2, 3, 4]],
  [['gone'], [4, 5]],
  [['1'], [1, 3, 4]],
  [['shop'], [1, 2, 3, 4]],
  [['/^g/'], [4, 5]],
  [['nobody'], []],
  [
    ['0', 'gone'],
    [1, 2, 4, 5],
  ],
])('the targets %j select the events %j', (words, times) => {
  expect(past.filter(pastFilter(words, past, running)).map(({ at }) => at)).toEqual(times);
});

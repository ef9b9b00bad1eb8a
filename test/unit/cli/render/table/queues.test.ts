import { describe, expect, it } from 'vitest';
import { renderQueue, renderQueues } from '../../../../../src/cli/render/table/queues.ts';
import type { QueueDetailsView, QueueView } from '../../../../../src/ipc/app/views.ts';

const plain = (_tone: string, text: string) => text;
const terminal = { tty: true, columns: 80, colour: false };
const pipe = { ...terminal, tty: false };
const member = (app: string, slot: number, works = true) => ({ app, id: slot, slot, pid: 100 + slot, works });

const exports: QueueView = {
  name: 'exports',
  place: '/srv/shop/queues.sqlite',
  processes: [member('job', 0), member('job', 1), member('web', 2, false)],
  counts: { pending: 12, running: 2, completed: 340, failed: 1, paused: false },
  perMinute: 17,
};
const counts = { pending: 0, running: 0, completed: 0, failed: 0, paused: false };

describe('the table of queues', () => {
  const emails = { ...exports, name: 'emails', processes: [member('web', 2, false)], counts, perMinute: null };
  const table = (...queues: QueueView[]) => renderQueues(queues, terminal, plain).split('\n');

  it('has a row for each queue, or a note if there are none', () => {
    expect(table(emails, exports)).toEqual([
      'queue    state      pending  running  failed  completed  last min  apps',
      'emails   no worker        0        0       0          0         -  web',
      'exports  working         12        2       1        340        17  job, web',
    ]);
    expect(table()).toEqual(['no running process has a queue']);
  });

  it('distinguishes queues of the same name by place, and shows why one does not answer', () => {
    const silent = {
      ...exports,
      place: '/srv/other/queues.sqlite',
      counts: null,
      perMinute: null,
      problem: 'it is \x1b[2J',
    };
    expect(renderQueues([exports, silent], pipe, plain).split('\n')).toEqual([
      'queue    state      pending  running  failed  completed  last min  apps',
      'exports  working         12        2       1        340        17  job, web, in /srv/shop/queues.sqlite',
      'exports  no answer        -        -       -          -         -  job, web, in /srv/other/queues.sqlite',
      'exports: it is \\x1b[2J',
    ]);
    expect(table(exports, silent)[1]).toHaveLength(80);
  });

  it.each([
    ['paused', { counts: { ...counts, running: 2, paused: true } }],
    ['working', { counts: { ...counts, running: 1 } }],
    ['idle', { counts }],
    ['no worker', { counts, processes: [member('web', 2, false)] }],
  ])('shows that a queue is %s', (state, fields) => {
    expect(table({ ...exports, ...fields })[1]).toMatch(new RegExp(`^exports  ${state} `));
  });
});

describe('one queue', () => {
  const now = 1_800_000_000_000;
  const details: QueueDetailsView = {
    ...exports,
    running: [
      {
        id: 'report-7',
        attempts: 1,
        startedAt: now - 12_000,
        process: { app: 'job', slot: 0 },
        progress: '{"percent":40}',
      },
      {
        id: 'r'.repeat(200),
        attempts: 2,
        startedAt: now - 700,
        worker: 'far.example:4711',
        progress: `"${'x'.repeat(190)}"`,
      },
    ],
    failed: [{ id: 'report-3', attempts: 4, finishedAt: now - 125_000, error: 'TypeError: no \x1b[31msuch report' }],
    pending: [
      { id: 'report-8', attempts: 0, dueAt: now - 5 },
      { id: 'report-9', attempts: 1, dueAt: now + 30_000, error: 'Error: timeout' },
    ],
  };

  it('is shown with its running, failed and next tasks', () => {
    const shown = renderQueue(details, now, terminal, plain).split('\n');
    expect(shown).toEqual([
      'queue exports  working',
      '  tasks        12 pending, 2 running, 1 failed, 340 completed',
      '  last minute  17 completed',
      '  kept in      /srv/shop/queues.sqlite',
      '  workers      job/0, job/1',
      '  opened by    web/2',
      '',
      'running',
      '  id                              where               for  attempts  progress',
      '  report-7                        job/0               12s         1  {"percent"…',
      '  rrrrrrrrrrrrrrr…rrrrrrrrrrrrrr  far.example:4711  700ms         2  "xxxxxxxxx…',
      '',
      'failed last',
      '  id        ago  attempts  error',
      '  report-3   2m         4  TypeError: no \\x1b[31msuch report',
      '',
      'next',
      '  id        begins in  attempts  error',
      '  report-8                    0',
      '  report-9        30s         1  Error: timeout',
      '  and 10 more',
    ]);
  });

  it('is complete in a pipe, and short if there are no tasks', () => {
    expect(renderQueue(details, now, pipe, plain)).toContain(`"${'x'.repeat(190)}"`);
    const empty = { ...details, counts, perMinute: null, running: [], failed: [], pending: [], processes: [] };
    expect(renderQueue(empty, now, terminal, plain).split('\n')).toEqual([
      'queue exports  no worker',
      '  tasks        0 pending, 0 running, 0 failed, 0 completed',
      '  kept in      /srv/shop/queues.sqlite',
    ]);
  });
});

// Queues of apps as the daemon and the command line see them, and the death of a process that works on a task.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../src/api/connect.ts';
import type { QueueDetailsView, QueueView } from '../../../src/ipc/app/views.ts';
import { installNsv } from '../../helpers/app-library.ts';
import { eventually } from '../../helpers/eventually.ts';
import { homeForEach, written } from '../../helpers/nsv.ts';

const nsv = homeForEach();
beforeEach(() => installNsv(nsv.directory));

const file = (name: string) => join(nsv.directory, name);
/** What the workers have printed to their error logs. */
const errors = async () => (await nsv.list('job')).map(({ errorFile }) => readFileSync(errorFile!, 'utf8')).join('');

/** Each task runs until its name is in the file `go`. The file `begun` gets a line with the task and its slot. */
function worker(): string {
  return nsv.script(
    'worker.mjs',
    `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
     import { setTimeout } from 'node:timers/promises';
     import { instance } from 'nsv/app';
     import { createQueue } from 'nsv/queue';
     const exports = createQueue('exports', { concurrency: 2, retries: 0 });
     exports.process(async ({ data }, { attempt, progress }) => {
       appendFileSync('begun', JSON.stringify({ data, slot: instance.slot, attempt }) + '\\n');
       if (data === 'fails') throw new TypeError('no such \\x1b[31mreport\\nat all');
       progress({ percent: 40 });
       while (!existsSync('go') || !readFileSync('go', 'utf8').includes(data)) await setTimeout(10);
     });`,
  );
}

/** Adds a task for each of its arguments, and tells about them until it is told to end. */
function adder(): string {
  return nsv.script(
    'adder.mjs',
    `import { createQueue } from 'nsv/queue';
     const exports = createQueue('exports');
     for (const name of process.argv.slice(2)) await exports.add(name, { id: name });
     setInterval(() => {}, 1000);`,
  );
}

const begun = async () =>
  (await written(file('begun')))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const look = async () => JSON.parse(await nsv.ok('queue', 'exports', '--json')) as QueueDetailsView;
const started = (name: string, script: string, count: number, ...words: string[]) =>
  nsv.ok('start', script, '--name', name, '-i', String(count), ...words);

/** Which process works on a task. */
async function workingOn(id: string) {
  return eventually(async () => (await look()).running.find((task) => task.id === id)?.process, `"${id}" runs`);
}

describe('a process with a task', () => {
  it('has the task taken over by another process at once if it dies', async () => {
    await started('web', adder(), 1, '--', 'report');
    await started('job', worker(), 2);
    const { slot } = await workingOn('report');
    const { pid } = (await nsv.list('job')).find((view) => view.slot === slot)!;
    process.kill(pid!, 'SIGKILL');
    const again = await eventually(async () => (await begun())[1], 'the task has begun again');
    expect(again).toEqual({ data: 'report', slot: expect.any(Number), attempt: 2 });
    // Not because its lease was over.
    expect(await errors()).toContain('nsv/queue: took 1 task of "exports" back from a process that has died');
    appendFileSync(file('go'), 'report');
    const done = await eventually(async () => ((await look()).counts?.completed === 1 ? look() : undefined), 'done');
    expect(done.counts).toMatchObject({ pending: 0, running: 0, failed: 0 });
  });

  it('has the task taken over by its successor if it dies and there is no other process', async () => {
    await started('web', adder(), 1, '--', 'report');
    await started('job', worker(), 1);
    // The next daemon is told, too.
    await nsv.replaceDaemon();
    await eventually(async () => (await nsv.list('job'))[0]?.queues, 'the process has told of its queue');
    await workingOn('report');
    process.kill((await nsv.list('job'))[0]!.pid!, 'SIGKILL');
    expect(await eventually(async () => (await begun())[1])).toMatchObject({ attempt: 2 });
    expect(await errors()).toContain('back from a process that has died');
    appendFileSync(file('go'), 'report');
    await nsv.ok('queue', 'drain', 'exports');
  });

  it('finishes the task if it is replaced by a reload', async () => {
    await started('web', adder(), 1, '--', 'report');
    await started('job', worker(), 1, '--kill-timeout', '60s');
    await workingOn('report');
    const [before] = await nsv.list('job');
    const reloaded = nsv.ok('reload', 'job');
    await eventually(
      async () => (await nsv.list('job'))[0]!.pid !== before!.pid,
      'the next process has taken the slot',
    );
    appendFileSync(file('go'), 'report');
    await reloaded;
    const { counts } = await look();
    expect(counts).toMatchObject({ pending: 0, running: 0, completed: 1, failed: 0 });
    expect(await begun()).toEqual([{ data: 'report', slot: expect.any(Number), attempt: 1 }]);
    expect(await errors()).not.toContain('has died');
  });
});

describe('nsv queue', () => {
  it('shows the state of a queue, and pauses, resumes, retries, removes and drains', async () => {
    await started('web', adder(), 1, '--', 'fails', 'report', 'other', 'third');
    expect(await nsv.ok('queue')).toMatch(/^exports +no worker +4 +0 +0 +0 +0 +web$/m);
    await started('job', worker(), 1);
    await eventually(async () => {
      const { counts } = await look();
      return counts?.running === 2 && counts.failed === 1 ? true : undefined;
    });
    const [view] = JSON.parse(await nsv.ok('queue', '--json')) as QueueView[];
    expect(view).toMatchObject({ name: 'exports', place: file('queues.sqlite'), perMinute: 0 });
    expect(view!.counts).toEqual({ pending: 1, running: 2, completed: 0, failed: 1, paused: false });
    expect(view!.processes).toMatchObject([
      { app: 'web', works: false },
      { app: 'job', works: true },
    ]);
    expect(await nsv.ok('queue')).toMatch(/^exports +working +1 +2 +1 +0 +0 +web, job$/m);
    const shown = await nsv.ok('queue', 'exports');
    expect(shown).toContain('TypeError: no such \\x1b[31mreport\n');
    expect(shown).toMatch(/^ {2}report +job\/0 +\d+m?s +1 +\{"percent":40\}$/m);
    const [app] = JSON.parse(await nsv.ok('show', 'web', '--json')) as { queues: QueueView[] }[];
    expect(app!.queues).toMatchObject([{ name: 'exports', counts: { pending: 1 } }]);

    await nsv.ok('queue', 'pause', 'exports');
    expect(await nsv.ok('queue')).toMatch(/^exports +paused/m);
    expect(await nsv.ok('queue', 'retry', 'exports')).toBe('retrying 1 task of "exports"\n');
    expect(await nsv.ok('queue', 'remove', 'exports', 'fails')).toBe('removed "fails" of "exports"\n');
    appendFileSync(file('go'), 'report other');
    const paused = await nsv.run('queue', 'drain', 'exports');
    expect(paused).toMatchObject({ code: 7, stderr: expect.stringContaining('is paused, so its pending tasks (1)') });
    await nsv.ok('queue', 'resume', 'exports');
    appendFileSync(file('go'), ' third');
    expect(await nsv.ok('queue', 'drain', 'exports')).toBe('no task of "exports" is pending or running\n');
    expect((await nsv.list()).map(({ queues }) => queues)).toEqual([['exports'], ['exports']]);
    const api = await connect({ home: nsv.home, launch: false });
    const { counts } = await api.queue('exports', { app: 'job' });
    await api.close();
    expect(counts).toEqual({ pending: 0, running: 0, completed: 3, failed: 0, paused: false });
  });

  it('fails for queues and tasks that do not exist', async () => {
    await started('web', adder(), 1, '--', 'report');
    const fails = async (...words: string[]) => {
      const { code, stderr } = await nsv.run('queue', ...words);
      return `${code}: ${stderr.split('\n')[0]}`;
    };
    expect(await fails('imports')).toBe('3: nsv: no running process has the queue "imports"');
    expect(await fails('retry', 'exports', 'report')).toBe('3: nsv: the queue "exports" has no failed task "report"');
    expect(await fails('remove', 'exports', 'none')).toBe(
      '3: nsv: the queue "exports" has no pending, failed or completed task "none"',
    );
    expect(await fails('remove', 'exports', 'a b')).toBe('2: nsv: "a b" is not the id of a task');
    await nsv.ok('stop', 'web');
    expect(await fails('exports')).toBe('3: nsv: no running process has the queue "exports"');
    expect(await nsv.ok('queue')).toBe('no running process has a queue\n');
  });
});

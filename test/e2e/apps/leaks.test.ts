// Programs that leak, in a real V8 and in a shell.
// @module-tag full
import { expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { fixture, homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const viewOf = async (name: string) => (await nsv.list(name))[0]!;

it('a leak is reported with its rate, and the process is replaced before V8 aborts it', async () => {
  const smallHeap = '--max-old-space-size=48';
  const leaking = [fixture('leaks.cjs'), '--interpreter-args', smallHeap];
  await nsv.ok('start', ...leaking, '--name', 'slow', '--detect-leaks', '400ms', '--', '400000');
  const { leak } = await eventually(async () => {
    const view = await viewOf('slow');
    return view.leak && view;
  });
  expect(leak).toMatchObject({ perHour: expect.any(Number), left: expect.any(Number) });
  expect(await nsv.ok('show', 'slow')).toMatch(/leak +grows by .+ an hour, reaches its limit in/);
  await nsv.ok('delete', 'slow');

  await nsv.ok('start', ...leaking, '--name', 'fast', '--max-memory-restart', 'heap:50%', '--', '3000000');
  const { pid } = await viewOf('fast');
  await nsv.replaceDaemon();
  await eventually(async () => (await viewOf('fast')).restarts > 0);
  const replaced = await eventually(async () => {
    const view = await viewOf('fast');
    return view.pid !== pid && view.lastExit !== null && view;
  });
  // Not the end that V8 makes of a program whose heap is full.
  expect(replaced.lastExit).not.toMatchObject({ signal: 'SIGABRT' });
  expect(replaced).toMatchObject({ status: 'online' });
});

it('a memory limit as a share of the heap is rejected for programs other than Node', async () => {
  const { code, stderr } = await nsv.run('start', '/bin/sleep', '--max-memory-restart', 'heap:90%', '--', '600');
  expect(code).not.toBe(0);
  expect(stderr).toContain('"heap:90%" works only for Node programs, and "/bin/sleep" is not one');
});

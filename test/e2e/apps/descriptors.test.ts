// A daemon that has used up its file descriptors.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually, sees } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { hello, homeForEach, launcher } from '../../helpers/nsv.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
/** Just above the lowest number that a launch needs. */
const limited = (...words: string[]) =>
  nsv.runWith({ program: '/bin/sh' }, '-c', 'ulimit -n 260 && exec "$0" "$@"', launcher, ...words);

it('a daemon without a free descriptor reports that, keeps apps running, and recovers', { tags: 'full' }, async () => {
  const port = await freePort();
  expect(await limited('start', hello, '--name', 'web', '-i', '2', '--', String(port))).toMatchObject({ code: 0 });
  const daemon = nsv.daemonPid;
  const probed = ['--live-probe', 'exec:true', '--live-probe-interval', '100ms', '--live-probe-failures', '1000'];
  await nsv.sleeper('probed', ...probed);
  await nsv.sleeper('watched', '--on-death', 'true');
  const visitors = new Visitors(4, { port });
  const hogs = async (name: string, sockets: number) => {
    const listen = Array.from({ length: sockets }, (_, index) => ['--listen', join(nsv.directory, `${name}-${index}`)]);
    return nsv.run('start', '/bin/sleep', '--name', name, ...listen.flat(), '--', '600');
  };
  expect(await hogs('many', 190)).toMatchObject({ code: 0 });
  // The last ones, one by one.
  for (let count = 0; ; count += 1) {
    const { code, stderr } = await hogs(`hog-${count}`, 1);
    if (code === 0) continue;
    expect(stderr).toMatch(/too many open files|EMFILE/);
    expect(stderr).not.toContain('internal error');
    break;
  }
  // Neither a probe nor a command on a death can be started.
  const [watched] = await nsv.list('watched');
  process.kill(watched!.pid!, 'SIGKILL');
  const lastLines = () => sees('the log', nsv.log()).split('\n').slice(-40).join('\n');
  await eventually(() => /too many open files|EMFILE/.test(lastLines()));
  const { code, stderr } = await nsv.run('reload', 'web');
  if (code !== 0) expect(stderr).toMatch(/too many open files|EMFILE|in time/);
  expect(nsv.daemonPid).toBe(daemon);
  expect(nsv.log()).not.toContain('"level":60');
  await nsv.ok('delete', '/hog|many/');
  await nsv.ok('reload', 'web');
  expect(await visitors.leave()).toEqual([]);
  await eventually(async () => (await nsv.list('watched'))[0]?.status === 'online');
  expect(nsv.daemonPid).toBe(daemon);
});

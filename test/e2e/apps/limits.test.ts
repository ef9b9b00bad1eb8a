// Limits of the kernel where nsv has no cgroups, as on most machines of developers.
import { expect, it } from 'vitest';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

it('an app is not started if its limits cannot be applied', async () => {
  const stderr = await nsv.fails(6, 'start', '/bin/sleep', '--name', 'web', '--pids', '20', '--', '600');
  expect(stderr).toContain('"web" was not started, because its limits (--cpu, --memory, --pids) cannot be applied: ');
  expect(stderr).toContain('run the daemon where cgroups are delegated to it');
  expect(await nsv.list()).toEqual([]);
});

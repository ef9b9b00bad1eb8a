// A command that has had no effect, or could not look, does not end as if it had.
import { describe, expect, it } from 'vitest';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

describe('without apps', () => {
  it('a command that is to have an effect fails, and one whose work is done succeeds', async () => {
    await nsv.sleeper('one', '--no-wait');
    expect(await nsv.ok('delete', 'all')).toMatch(/^deleted one/);
    for (const line of ['restart all', 'reload all', 'signal HUP all', 'scale all 2', 'send all x', 'trigger all x'])
      expect(await nsv.fails(3, ...line.split(' '))).toContain('no app matches "all"');
    expect(await nsv.ok('delete', 'all')).toBe('nothing to delete: there are no apps\n');
    for (const command of ['stop', 'reset']) await nsv.ok(command, 'all');
    expect(await nsv.fails(3, 'show', 'all')).toContain('no app matches "all"');
    expect(await nsv.fails(7, 'stack', 'all')).toContain('"all" cannot be inspected: there are no apps');
    // The journal knows the deleted one.
    expect(await nsv.ok('events', 'one', '--nostream')).toContain('delete');
    expect(await nsv.fails(3, 'events', 'two', '--nostream')).toContain('no app matches "two"');
  });
});

describe('an app that does not run', () => {
  it('gets no signal, unless another one that is meant does', async () => {
    await nsv.sleeper('one', '--no-wait');
    await nsv.ok('stop', 'one');
    expect(await nsv.fails(7, 'signal', 'HUP', 'one')).toContain('SIGHUP was not sent: no process of "one" is running');
    await nsv.sleeper('two', '--no-wait');
    await nsv.ok('signal', 'CONT', 'all');
  });

  it('is not called stopped by "nsv health" if it is a job that has failed, and is all that it tells of', async () => {
    await nsv.sleeper('one', '--no-wait');
    await nsv.run('start', '/bin/sh', '--name', 'job', '--no-autorestart', '--', '-c', 'exit 3');
    expect(await nsv.run('health', 'job')).toMatchObject({ code: 9, stdout: 'job  0 of 1 ready, ended\n' });
  });

  it('has started well if it is a job that has ended as it may', async () => {
    const job = ['/bin/sh', '--name', 'job', '--no-autorestart', '--stop-exit-codes', '3', '--', '-c', 'exit 3'];
    expect(await nsv.ok('start', ...job)).toContain('completed');
    expect(await nsv.ok('restart', 'job')).toContain('completed');
    expect(await nsv.run('health', 'job')).toMatchObject({ code: 0 });
  });
});

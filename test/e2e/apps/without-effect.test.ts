// A command that has had no effect does not succeed.
import { describe, expect, it } from 'vitest';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

describe('without apps', () => {
  it('a command fails if it needs one, and succeeds if there is nothing left to do', async () => {
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
  it('gets no signal, and the command fails unless another target runs', async () => {
    await nsv.sleeper('one', '--no-wait');
    await nsv.ok('stop', 'one');
    expect(await nsv.fails(7, 'signal', 'HUP', 'one')).toContain('SIGHUP was not sent: no process of "one" is running');
    await nsv.sleeper('two', '--no-wait');
    await nsv.ok('signal', 'CONT', 'all');
  });

  it('is "ended" in "nsv health", not "stopped", if it is a job that has failed', async () => {
    await nsv.sleeper('one', '--no-wait');
    await nsv.run('start', '/bin/sh', '--name', 'job', '--no-autorestart', '--', '-c', 'exit 3');
    expect(await nsv.run('health', 'job')).toMatchObject({ code: 9, stdout: 'job  0 of 1 ready, ended\n' });
  });

  it('has started if it is a job that ended with one of its stop exit codes', async () => {
    const job = ['/bin/sh', '--name', 'job', '--no-autorestart', '--stop-exit-codes', '3', '--', '-c', 'exit 3'];
    expect(await nsv.ok('start', ...job)).toContain('completed');
    expect(await nsv.ok('restart', 'job')).toContain('completed');
    expect(await nsv.run('health', 'job')).toMatchObject({ code: 0 });
  });
});

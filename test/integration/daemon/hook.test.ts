// Commands of the user that nsv runs, as real processes.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Hook, runHook } from '../../../src/daemon/launch/hook.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';
import { isAlive } from '../../helpers/nsv.ts';

const at = directoryForEach();

const run = (command: string, rest: Partial<Hook> = {}, abort?: AbortSignal) =>
  runHook(
    {
      command,
      cwd: at(),
      uid: undefined,
      gid: undefined,
      umask: '022',
      env: { PATH: process.env.PATH! },
      ...rest,
    },
    abort,
  );

it('a command reads its input to the end', async () => {
  const input = 'line\n'.repeat(100_000);
  expect(await run('wc -c', { input })).toEqual({ problem: undefined, output: [String(input.length)] });
  expect(await run('wc -c')).toEqual({ problem: undefined, output: ['0'] });
});

it('a command need not read its input', async () => {
  expect(await run('exit 3', { input: 'x'.repeat(1_000_000) })).toMatchObject({ problem: 'exit code 3' });
});

it('a command that takes too long is killed with everything it started', { tags: 'full' }, async () => {
  // Long enough for a shell to start, on any machine.
  const { problem } = await run('sleep 600 & echo $! >pid; wait', { timeout: 3_000 });
  expect(problem).toBe('no exit within 3s');
  const sleeper = Number(readFileSync(at('pid'), 'utf8'));
  await eventually(() => !isAlive(sleeper));
});

it('a command that is interrupted is killed with everything it started if it does not end', async () => {
  const abort = new AbortController();
  const command = "trap '' TERM; sleep 600 & echo $! >pid; mv pid is-there; wait; wait";
  const ended = run(command, { killTimeout: 300 }, abort.signal);
  await eventually(() => existsSync(at('is-there')));
  abort.abort();
  expect(await ended).toMatchObject({ problem: 'signal SIGKILL' });
  const sleeper = Number(readFileSync(at('is-there'), 'utf8'));
  await eventually(() => !isAlive(sleeper));
});

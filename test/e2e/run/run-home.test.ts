// `nsv run`: what commands do to its apps, and what its home is for.
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground, type Ways } from '../../helpers/foreground.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

const run = (words: string[], ways?: Ways) => new Foreground(nsv, words, ways);

describe('nsv run', () => {
  const lasting = () => nsv.script('web.cjs', "setInterval(() => {}, 1000); console.log('up')");

  it('accepts commands for its apps: list, scale, stop, kill', async () => {
    const foreground = run([lasting()]);
    await foreground.prints(/up/);
    expect((await nsv.list()).map(({ name, slot, outFile }) => [name, slot, outFile])).toEqual([['web', 0, null]]);
    await nsv.ok('scale', 'web', '2');
    expect((await nsv.list()).length).toBe(2);
    for (const change of ['-99', '+99999']) {
      const why = `"web" cannot be scaled by ${change}: it has 2, and 1 to 10000 are allowed`;
      expect(await nsv.run('scale', 'web', change)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    }
    await nsv.ok('stop', 'web');
    expect((await nsv.list()).map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    await nsv.ok('kill');
    expect((await foreground.ended).code).toBe(143);
  });

  it('exits with the code of the app when its only unfinished instance is scaled away', { tags: 'full' }, async () => {
    const source = `
      console.log('up', process.env.NODE_APP_INSTANCE);
      if (process.env.NODE_APP_INSTANCE === '1') setInterval(() => {}, 1000);
      else setTimeout(() => process.exit(3), 10)`;
    const foreground = run([nsv.script('web.cjs', source), '-i', '2', '--no-autorestart', '--log-level', 'info']);
    await foreground.prints(/up 1/);
    await foreground.prints(/"code":3/);
    await nsv.ok('scale', 'web', '1');
    expect((await foreground.ended).code).toBe(3);
  });

  it('keeps running when an app that a command has stopped is scaled', { tags: 'full' }, async () => {
    const foreground = run([lasting(), '-i', '2']);
    await foreground.prints(/up\nup/);
    await nsv.ok('stop', 'web');
    await nsv.ok('scale', 'web', '1');
    await nsv.ok('start', 'web');
    foreground.sends('SIGTERM');
    expect((await foreground.ended).code).toBe(128 + constants.signals.SIGTERM);
  });

  it('ends commands that follow it before it exits', async () => {
    const foreground = run([lasting()]);
    await foreground.prints(/up/);
    const events = new Foreground(nsv, ['--json'], { command: 'events' });
    await eventually(async () => {
      await nsv.ok('restart', 'web');
      return events.stdout !== '';
    });
    foreground.sends('SIGTERM');
    expect((await events.ended).code).toBe(0);
    await foreground.ended;
  });

  describe('whose apps are deleted by a command', () => {
    it('exits as after SIGTERM when none is left, after the command has returned', async () => {
      const foreground = run([lasting(), nsv.script('other.cjs', "setInterval(() => {}, 1000); console.log('too')")]);
      await foreground.prints(/up/);
      await foreground.prints(/too/);
      expect((await nsv.ok('delete', 'web')).length).toBeGreaterThan(0);
      expect((await nsv.list()).map(({ name }) => name)).toEqual(['other']);
      await nsv.ok('delete', 'all');
      expect((await foreground.ended).code).toBe(143);
    });

    it('exits with the code of the remaining apps once they have finished', { tags: 'full' }, async () => {
      const foreground = run([lasting(), nsv.script('job.cjs', 'process.exit(3)'), '--max-restarts', '0']);
      await foreground.prints(/up/);
      await foreground.prints(/gave up on job/);
      await nsv.ok('delete', 'web');
      expect((await foreground.ended).code).toBe(3);
    });

    it('keeps running after a finished one is deleted, and drops its exit code', { tags: 'full' }, async () => {
      const foreground = run([lasting(), nsv.script('job.cjs', 'process.exit(3)'), '--max-restarts', '0']);
      await foreground.prints(/up/);
      await foreground.prints(/gave up on job/);
      await nsv.ok('delete', 'job');
      expect((await nsv.list()).map(({ name }) => name)).toEqual(['web']);
      await nsv.ok('delete', 'web');
      expect((await foreground.ended).code).toBe(143);
    });

    it('still exits if --exit-on names the deleted one', { tags: 'full' }, async () => {
      const job = nsv.script('job.cjs', "process.on('SIGUSR2', () => process.exit(0)); setInterval(() => {}, 1000)");
      const foreground = run([lasting(), job, '--exit-on', 'web']);
      await foreground.prints(/up/);
      await nsv.ok('delete', 'web');
      await eventually(async () => (await nsv.list('job'))[0]?.status === 'online');
      await nsv.ok('signal', 'USR2', 'job');
      expect((await foreground.ended).code).toBe(0);
    });

    it('keeps running when one is replaced with --force, and exits when that fails', { tags: 'full' }, async () => {
      const app = lasting();
      const foreground = run([app]);
      await foreground.prints(/up/);
      await nsv.ok('start', app, '--force');
      expect((await nsv.list()).map(({ status }) => status)).toEqual(['online']);
      const broken = await nsv.run('start', app, '--force', '--cron-restart', 'never');
      expect(broken.code).toBe(2);
      expect((await foreground.ended).code).toBe(143);
    });
  });

  it('keeps no logs, and nsv logs fails with the reason', { tags: 'full' }, async () => {
    const foreground = run([lasting()]);
    await foreground.prints(/up/);
    const logs = await nsv.run('logs');
    expect(logs.code).toBe(7);
    expect(logs.stderr).toContain('nsv passes its output through');
    foreground.sends('SIGTERM');
    await foreground.ended;
  });

  it('fails in the home of another nsv run, which keeps running', { tags: 'full' }, async () => {
    const first = run([lasting()]);
    await first.prints(/up/);
    const second = await run(['--', 'echo', 'started']).ended;
    expect(second).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('another daemon is already running'),
    });
    expect((await nsv.list()).length).toBe(1);
    first.sends('SIGTERM');
    await first.ended;
  });

  it('runs without a usable home', { tags: 'full' }, async () => {
    const env = { NSV_HOME: '/dev/null/home' };
    const { code, stdout, stderr } = await run(['--log-level', 'info', '--', 'echo', 'works'], { env }).ended;
    expect([code, stdout]).toEqual([0, 'works\n']);
    expect(stderr.match(/no usable home: state is kept in memory only/g)?.length).toBe(1);
  });

  it('writes output to a file with --output, and nsv logs reads it', { tags: 'full' }, async () => {
    const file = join(nsv.directory, 'web.log');
    const foreground = run([lasting(), '--output', file]);
    await eventually(async () => (await nsv.run('logs', '--nostream')).stdout.includes('up'));
    expect(readFileSync(file, 'utf8')).toBe('up\n');
    foreground.sends('SIGTERM');
    expect((await foreground.ended).stdout).toBe('');
  });
});

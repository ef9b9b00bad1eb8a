// `nsv run`: what signals do, and how long a stop may take.
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signalsToHandle } from '../../../src/run/signals.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { fixture, homeForEach, isAlive, launcher } from '../../helpers/nsv.ts';
import { describeVariants } from '../../helpers/variants.ts';

const nsv = homeForEach();

const run = (...words: string[]) => new Foreground(nsv, words);

/** Runs the app and returns its pid once it says that it is up. */
async function up(...words: string[]): Promise<{ foreground: Foreground; pid: number }> {
  const foreground = run(...words);
  return { foreground, pid: Number((await foreground.prints(/up (\d+)/))[1]) };
}

describe('a signal for the apps', () => {
  it('arrives exactly once, whichever it is, and Node starts no debugger', async () => {
    const { foreground } = await up(fixture('hears.cjs'));
    const forwarded = signalsToHandle('none').filter((name) => !['SIGTERM', 'SIGINT', 'SIGHUP'].includes(name));
    for (const name of forwarded) {
      foreground.sends(name);
      await foreground.prints(new RegExp(`heard ${constants.signals[name]}\\.`));
    }
    foreground.sends('SIGTERM');
    const { code, stdout, stderr } = await foreground.ended;
    expect(code).toBe(0);
    const received = [...stdout.matchAll(/heard (\d+)\./g)].map(([, number]) => Number(number));
    expect(received).toEqual(forwarded.map((name) => constants.signals[name]));
    expect(stderr).not.toContain('Debugger');
  });

  it('is replaced by another one with --rewrite', { tags: 'full' }, async () => {
    const { foreground } = await up(
      fixture('hears.cjs'),
      ...['USR1:USR2', 'HUP:HUP', 'WINCH:0'].flatMap((pair) => ['--rewrite', pair]),
    );
    foreground.sends('SIGWINCH');
    foreground.sends('SIGUSR1');
    await foreground.prints(/heard 12\./);
    foreground.sends('SIGHUP');
    await foreground.prints(/heard 1\./);
    foreground.sends('SIGTERM');
    expect((await foreground.ended).stdout.match(/heard \d+/g)).toEqual(['heard 12', 'heard 1']);
  });

  it('reaches the whole session with --signal-group', { tags: 'full' }, async () => {
    const source = 'sh -c \'trap "echo child" USR2; echo up $$; while :; do sleep 0.05; done\' & wait; wait; wait';
    const script = nsv.script('family.sh', `trap 'echo parent' USR2\n${source}\n`);
    const { foreground } = await up(script, '--signal-group');
    foreground.sends('SIGUSR2');
    await foreground.prints(/child/);
    await foreground.prints(/parent/);
    foreground.sends('SIGTERM');
    await foreground.ended;
  });
});

describe('SIGHUP', () => {
  it('reloads every app', async () => {
    const { foreground, pid } = await up(fixture('hears.cjs'));
    foreground.sends('SIGHUP');
    await eventually(() => !isAlive(pid));
    const [process] = await nsv.list();
    expect(process).toMatchObject({ restarts: 0, name: 'hears' });
    expect(process!.pid).not.toBe(pid);
    foreground.sends('SIGTERM');
    expect((await foreground.ended).code).toBe(0);
  });
});

describe('an app that ends after a reload', { tags: 'full' }, () => {
  it('ends nsv with its exit code even if the old process exits last', async () => {
    const source = `
      const { existsSync, writeFileSync } = require('node:fs');
      const once = (file, act) => setInterval(() => existsSync(file) && act(), 20);
      const isSecond = existsSync('first');
      writeFileSync('first', '');
      if (isSecond) once('asked', () => (writeFileSync('gone', ''), process.exit(4)));
      process.on('SIGTERM', () => (writeFileSync('asked', ''), once('gone', () => setTimeout(() => process.exit(0), 500))));
      setInterval(() => {}, 1000);
      process.send('ready');
      console.log('up');`;
    const foreground = run(nsv.script('web.cjs', source), '--wait-ready', '--no-autorestart');
    await foreground.prints(/up/);
    foreground.sends('SIGHUP');
    expect((await foreground.ended).code).toBe(4);
  });
});

describeVariants(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('lets an app finish, and ends with its exit code as soon as it is done', async () => {
    // The test is over long before the kill timeout is, unless nsv waits for that.
    const { foreground } = await up(fixture('finishes.cjs'), '--kill-timeout', '10m', '--', '700', '5');
    foreground.sends(signal);
    await foreground.prints(/finished/);
    expect((await foreground.ended).code).toBe(5);
  });
});

describe('a stop', () => {
  describeVariants(['SIGTERM', 'SIGINT'] as const)('by %s', (signal) => {
    it('never ends with 0 while an app still has to run', async () => {
      nsv.script('good.cjs', '');
      const first = { name: 'first', script: 'good.cjs', autorestart: false };
      const job = { name: 'job', script: 'good.cjs', depends_on: ['waits'] };
      const waits = { name: 'waits', script: 'good.cjs', pre_start: 'echo >hooked; sleep 600' };
      const config = nsv.script('run.config.json', JSON.stringify({ apps: [first, waits, job] }));
      const foreground = run(config, '--log-level', 'info');
      await foreground.prints(/"app":"first".*"msg":"exit"/);
      await eventually(() => existsSync(join(nsv.directory, 'hooked')));
      foreground.sends(signal);
      expect((await foreground.ended).code).toBe(128 + constants.signals[signal]);
    });
  });

  it.each([
    ['the time is up', '500', 1],
    ['a second SIGINT comes', '20m', 2],
  ])('kills a hook that ignores it as soon as %s', async (_title, stopTimeout, count) => {
    const app = { name: 'web', script: '/bin/true', pre_start: "trap '' TERM; echo >hooked; sleep 600; sleep 600" };
    const config = nsv.script('run.config.json', JSON.stringify({ apps: [app] }));
    const foreground = run(config, '--kill-timeout', '10m', '--stop-timeout', stopTimeout);
    await eventually(() => existsSync(join(nsv.directory, 'hooked')));
    foreground.sends('SIGINT');
    const again = count > 1 ? setInterval(() => foreground.sends('SIGINT'), 250) : undefined;
    expect((await foreground.ended).code).toBe(130);
    clearInterval(again);
  });

  it('never ends with 0 while nsv itself is starting below the shell of process 1', async () => {
    const foreground = new Foreground(nsv, ['--', '/bin/true'], { env: { NSV_INIT: '1' } });
    // The shell holds the signal back until Node can handle it; before that, it dies of it, as any program.
    foreground.sends('SIGTERM');
    const { code, signal } = await foreground.ended;
    expect(signal ?? code).not.toBe(0);
  });

  it('kills an app that ignores it and all its descendants at the kill timeout', async () => {
    const foreground = run(fixture('stubborn-family.sh'), '--kill-timeout', '300');
    const child = Number((await foreground.prints(/child (\d+)/))[1]);
    foreground.sends('SIGTERM');
    expect((await foreground.ended).code).toBe(137);
    expect(isAlive(child)).toBe(false);
  });

  it('ends within --stop-timeout, whatever the kill timeout', async () => {
    const foreground = run(fixture('stubborn-family.sh'), '--kill-timeout', '10m', '--stop-timeout', '500');
    await foreground.prints(/child/);
    foreground.sends('SIGTERM');
    expect((await foreground.ended).code).toBe(137);
  });

  it('ends with 137 even with a --stop-timeout of 0', { tags: 'full' }, async () => {
    const foreground = run(fixture('stubborn-family.sh'), '--stop-timeout', '0');
    await foreground.prints(/child/);
    foreground.sends('SIGTERM');
    expect((await foreground.ended).code).toBe(137);
  });

  describeVariants(['SIGINT', 'SIGTERM'] as const)('begun by %s', (first) => {
    it('kills the app on a second signal if that is SIGINT', async () => {
      const foreground = run(fixture('stubborn-family.sh'), '--kill-timeout', '10m', '--stop-timeout', '20m');
      await foreground.prints(/child/);
      foreground.sends(first);
      const again = setInterval(() => foreground.sends('SIGINT'), 250);
      expect((await foreground.ended).code).toBe(137);
      clearInterval(again);
    });
  });

  it('is not cut short by further SIGTERMs, as sent to a process group or by some orchestrators', async () => {
    const { foreground } = await up(fixture('finishes.cjs'), '--kill-timeout', '10m', '--', '1500', '5');
    const again = setInterval(() => foreground.sends('SIGTERM'), 250);
    await foreground.prints(/finished/);
    clearInterval(again);
    expect((await foreground.ended).code).toBe(5);
  });

  it('ends on a second signal even if the output is not read', { tags: 'full' }, async () => {
    // A reader that does not read. If it were waited for, the code would not be printed before it has ended.
    const line = `{ '${launcher}' run "$@"; echo "code $?" >&2; } | sh -c 'echo $$ >reader; exec sleep 600'`;
    const twice = 'sleep 0.5; kill -TERM $PPID; sleep 0.5; kill -INT $PPID';
    const words = ['--log-prefix', '--kill-timeout', '10m', '--stop-timeout', '20m', '--', 'sh', '-c'];
    const script = `trap '' TERM; (${twice}) & yes`;
    const foreground = new Foreground(nsv, [line, 'sh', ...words, script], { command: '-c', program: ['/bin/sh'] });
    try {
      await foreground.prints(/code 137/);
    } finally {
      process.kill(Number(readFileSync(join(nsv.directory, 'reader'), 'utf8')), 'SIGKILL');
    }
    await foreground.ended;
  });

  it('uses the signal that --rewrite names', { tags: 'full' }, async () => {
    const { foreground } = await up(fixture('hears.cjs'), '--rewrite', 'TERM:QUIT', '--kill-timeout', '300');
    foreground.sends('SIGTERM');
    const { code, stdout } = await foreground.ended;
    expect(stdout).toContain(`heard ${constants.signals.SIGQUIT}.`);
    expect(code).toBe(137);
  });

  it('keeps the exit codes of apps that ended before', { tags: 'full' }, async () => {
    const good = nsv.script('good.cjs', '');
    const { foreground } = await up(good, fixture('hears.cjs'), '--log-level', 'info');
    await foreground.prints(/"app":"good".*"msg":"exit"/);
    foreground.sends('SIGTERM');
    expect((await foreground.ended).code).toBe(0);
  });

  it('answers every accepted request under load', async () => {
    const port = await freePort();
    const answer = "console.log('got', url); setTimeout(() => response.end('done'), 20)";
    const server = `createServer(({ url }, response) => { ${answer}; }).listen(${port}, () => console.log('listens'))`;
    const app = nsv.script('web.cjs', `require('node:http').${server};`);
    const foreground = run(app, '-i', '2');
    await foreground.prints(/listens/);
    const answers = new Map<string, ReturnType<typeof ask>>();
    const client = setInterval(() => {
      const path = `/${answers.size}`;
      answers.set(path, ask(port, { path }));
    }, 2);
    await foreground.prints(/got \/50/);
    foreground.sends('SIGTERM');
    const { stdout } = await foreground.ended;
    clearInterval(client);
    await Promise.all(answers.values());
    const accepted = [...stdout.matchAll(/got (\/\d+)/g)].map(([, path]) => path!);
    const lost: object[] = [];
    for (const path of accepted) {
      const answer = await answers.get(path)!;
      if (!answer.ok) lost.push({ path, ...answer });
    }
    expect(accepted).toContain('/50');
    expect(lost).toEqual([]);
  });
});

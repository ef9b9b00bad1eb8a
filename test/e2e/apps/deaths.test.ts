// Why processes have ended: each cause by its name, by what is on the disk, and by whoever asked.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DeathView } from '../../../src/ipc/views.ts';
import { eventually } from '../../helpers/eventually.ts';
import { fixture, homeForEach, isAlive } from '../../helpers/nsv.ts';

const nsv = homeForEach();
const dies = fixture('dies.cjs');
const once = ['--no-autorestart', '--no-wait'];
const deaths = async (...words: string[]) => JSON.parse(await nsv.ok('deaths', ...words, '--json')) as DeathView[];
/** Starts an app that ends in this way, with the way as its name. */
const start = (way: string, ...options: string[]) => nsv.ok('start', dies, '--name', way, ...options, '--', way);
const pidOf = async (app: string) => (await nsv.list(app))[0]!.pid!;
const files = () => readdirSync(join(nsv.home, 'deaths'));
const written = () => files().map((name) => readFileSync(join(nsv.home, 'deaths', name), 'utf8'));

describe('the record of a death', () => {
  it('names the cause, and outlives the daemon, its successors and nsv kill', async () => {
    await start('exit', ...once);
    await start('throw', ...once);
    await start('heap', ...once, '--node-args', '--max-old-space-size=20');
    // It grows all the while, also while a slow machine starts the others.
    const limits = ['--max-memory-restart', '100M', '--kill-timeout', '200ms', '--max-restarts', 'unlimited'];
    await start('grow', ...limits, '--no-wait');
    await start('stubborn', '--kill-timeout', '100ms');
    await nsv.sleeper('killed', '--no-autorestart', '--no-wait');
    await nsv.sleeper('old', '--max-age', '500ms', '--max-restarts', 'unlimited');
    await nsv.sleeper('asked');
    process.kill(await pidOf('killed'), 'SIGKILL');
    await nsv.ok('stop', 'stubborn');
    await nsv.ok('restart', 'asked');
    const expected = {
      exit: { cause: 'exit', exit: { code: 3 }, output: ['about to end'], error: null, next: 'stopped' },
      throw: { cause: 'uncaught error', error: { headline: 'TypeError: no such order: 42' } },
      heap: {
        cause: 'V8 out of memory',
        exit: { signal: 'SIGABRT' },
        error: { headline: expect.stringMatching(/heap/) },
      },
      grow: { cause: 'memory limit', detail: expect.stringMatching(/above limit 100.0mb/), next: 'replaced' },
      stubborn: { cause: 'kill timeout', by: 'stop', exit: { signal: 'SIGKILL' }, overdue: true, next: 'stopped' },
      killed: { cause: 'signal', exit: { signal: 'SIGKILL' }, certain: true, by: null },
      old: { cause: 'age', detail: expect.stringMatching(/old$/), next: 'restarted' },
      asked: { cause: 'asked', by: 'restart', exit: { signal: 'SIGTERM' }, next: 'restarted' },
    };
    const names = Object.keys(expected);
    const firsts = async () => {
      const records = await deaths();
      return Object.fromEntries(names.map((name) => [name, records.find(({ app }) => app === name)]));
    };
    await eventually(async () => Object.values(await firsts()).every(Boolean));
    await nsv.ok('stop', 'grow', 'old');
    const before = await firsts();
    expect(before).toMatchObject(expected);
    expect(before.throw?.error?.frames[0]).toMatchObject({ function: 'failDeep', file: dies });

    await nsv.replaceDaemon();
    expect(await firsts()).toEqual(before);
    await nsv.ok('update');
    expect(await firsts()).toEqual(before);
    for (const name of files()) expect(statSync(join(nsv.home, 'deaths', name)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await nsv.ok('deaths', 'exit', '1', '--json'))).toMatchObject(expected.exit);
    expect(await nsv.ok('deaths', 'throw', '1')).toMatch(
      /TypeError: no such order: 42\n {4}at failDeep \(.*dies\.cjs:17\)/,
    );
    expect(await nsv.fails(3, 'deaths', 'exit', '7')).toMatch(/no death record 7/);

    await nsv.ok('delete', 'exit');
    expect(files()).not.toContain('exit.jsonl');
    await nsv.ok('kill');
    expect(files()).toContain('throw.jsonl');
  });

  it('is passed to the --on-death command, and contains nothing from the environment', { tags: 'full' }, async () => {
    const reported = join(nsv.directory, 'told');
    const words = ['start', dies, ...once, '--on-death', `cat >>${reported}`, '--', 'throw'];
    await nsv.runWith({ env: { SECRET_TOKEN: 'hunter2' } }, ...words);
    const record = await eventually(() => {
      const text = existsSync(reported) ? readFileSync(reported, 'utf8') : '';
      return text.endsWith('\n') && (JSON.parse(text) as DeathView);
    });
    expect(record).toMatchObject({ app: 'dies', number: 1, cause: 'uncaught error', leftOut: 0, cutShort: 0 });
    expect(await nsv.ok('env', 'dies')).toContain('hunter2');
    for (const text of [JSON.stringify(record), ...written()]) expect(text).not.toMatch(/SECRET_TOKEN|hunter2/);
  });
});

describe('an app that keeps crashing', () => {
  it('has one record with a count, and a failed start prints its error once, without frames of nsv', async () => {
    const stderr = await nsv.fails(6, 'start', dies, '--name', 'web', '--max-restarts', '3', '--', 'throw', '0');
    expect(stderr).toMatch(/^nsv: "web" did not start: TypeError: no such order: 42$/m);
    expect(stderr).toMatch(/^ {2}it crashed 4 times in \d+\w+$/m);
    expect(stderr.match(/TypeError/g)).toHaveLength(1);
    expect(stderr).toMatch(/^ {2}at failDeep \(.*dies\.cjs:17\)$/m);
    expect(stderr).not.toMatch(/dist|node:/);
    expect(await deaths('web')).toMatchObject([{ number: 1, times: 4, next: 'gave up' }]);
    expect(await nsv.list()).toMatchObject([{ lastDeath: { cause: 'uncaught error', times: 4 } }]);
    expect(await nsv.ok('show', 'web')).toMatch(
      /last death +uncaught error, 4 times, .*: TypeError: no such order: 42/,
    );
    await nsv.replaceDaemon();
    expect(await nsv.list()).toMatchObject([{ lastDeath: { cause: 'uncaught error', times: 4 } }]);
  });
});

describe('a kill by the kernel', { tags: 'full' }, () => {
  const memory = '/sys/fs/cgroup/memory';
  /** A cgroup (v1) with little memory; undefined where none can be made. */
  function makeCgroup(): string | undefined {
    const group = join(memory, `nsv-test-${process.pid}`);
    try {
      mkdirSync(group);
      writeFileSync(join(group, 'memory.limit_in_bytes'), '64M');
      return group;
    } catch {
      return undefined;
    }
  }

  it('is recorded as an OOM kill when memory runs out', async ({ skip }) => {
    const group = makeCgroup();
    if (group === undefined) return skip();
    try {
      // Until nsv takes it for running, it may be in any cgroup.
      const go = join(nsv.directory, 'go');
      const wait = `until [ -e ${go} ]; do sleep 0.1; done`;
      const script = `#!/bin/sh\necho $$ >${group}/cgroup.procs\n${wait}\nexec node ${dies} grow 500\n`;
      await nsv.ok('start', nsv.script('boxed.sh', script), '--no-autorestart', '--name', 'boxed');
      writeFileSync(go, '');
      const [record] = await eventually(async () => {
        const records = await deaths('boxed');
        return records.length > 0 && records;
      });
      expect(record).toMatchObject({ cause: 'kernel OOM kill', certain: true, exit: { signal: 'SIGKILL' } });
      await eventually(() => !isAlive(record!.pid));
    } finally {
      rmdirSync(group);
    }
  });
});

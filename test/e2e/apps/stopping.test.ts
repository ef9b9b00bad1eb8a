// Stop: whole trees, deadlines, and commands that meet.
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { homeForEach, isAlive, processesWith } from '../../helpers/nsv.ts';

const nsv = homeForEach();

/** A PATH on which Node and sh are found, and ps and pgrep are not. */
function pathWithoutPs(): string {
  const bin = join(nsv.directory, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  for (const tool of ['sh', 'sleep', 'readlink']) symlinkSync(`/bin/${tool}`, join(bin, tool));
  return bin;
}

describe('stop', () => {
  it('returns as soon as the app has exited after its signal handler', async () => {
    const done = join(nsv.directory, 'done');
    const app = nsv.script(
      'tidy.cjs',
      `process.on('SIGTERM', () => { require('fs').writeFileSync(${JSON.stringify(done)}, 'yes'); process.exit(7); }); setInterval(() => {}, 1000);`,
    );
    await nsv.ok('start', app);
    await nsv.ok('stop', 'tidy');
    expect(readFileSync(done, 'utf8')).toBe('yes');
    expect(await nsv.list()).toMatchObject([{ status: 'stopped', lastExit: { code: 7, signal: null }, restarts: 0 }]);
  });

  it('kills a process that ignores the signal with all its descendants, even orphans, without ps', async () => {
    const pids = join(nsv.directory, 'pids');
    const stubborn = `trap '' TERM; echo $$ >> ${pids}; while :; do sleep 1; done`;
    const app = nsv.script(
      'tree.sh',
      `#!/bin/sh\ntrap '' TERM\nsh -c "${stubborn}" &\n(sh -c "${stubborn}" &)\necho $$ >> ${pids}\nwhile :; do sleep 1; done\n`,
    );
    const env = { PATH: pathWithoutPs() };
    expect(await nsv.runWith({ env }, 'start', app, '--interpreter', '/bin/sh', '--kill-timeout', '300')).toMatchObject(
      { code: 0 },
    );
    const family = await eventually(() => {
      const found = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
      return found.length === 3 && found;
    });
    expect(await nsv.runWith({ env }, 'stop', 'tree')).toMatchObject({ code: 0 });
    expect(family.filter(isAlive)).toEqual([]);
    expect(processesWith(`NSV_HOME=${nsv.home}`, 'NSV_APP=tree')).toEqual([]);
  });

  it.each(['stop', 'restart', 'reload', 'delete'])(
    'reports which processes it had to kill: %s',
    { tags: 'full' },
    async (command) => {
      const app = nsv.script(
        'stays.js',
        `process.on('SIGTERM', () => {}); process.send('ready'); setInterval(() => {}, 1e6);`,
      );
      await nsv.ok('start', app, '-i', '2', '--kill-timeout', '100ms', '--wait-ready');
      const { code, stderr, stdout } = await nsv.run(command, 'stays', '--json');
      expect(code).toBe(0);
      expect(stderr.trim().split('\n').sort()).toEqual([
        'stays (instance 0) did not exit within 100ms of SIGTERM and was killed',
        'stays (instance 1) did not exit within 100ms of SIGTERM and was killed',
      ]);
      expect(JSON.parse(stdout)).toHaveLength(2);
      expect(nsv.log().match(/"kill-timeout"/g)).toHaveLength(2);
    },
  );

  it('lets children that outlive their parent finish within the kill timeout', { tags: 'full' }, async () => {
    const done = join(nsv.directory, 'done');
    const child = `trap 'echo finished > ${done}; exit' TERM; while :; do sleep 0.05; done`;
    const app = nsv.script('parent.sh', `#!/bin/sh\nsh -c "${child}" &\nwait\n`);
    await nsv.ok('start', app);
    await nsv.ok('stop', 'parent');
    expect(readFileSync(done, 'utf8')).toBe('finished\n');
  });

  it('makes a pending start fail with a message that names the stop', { tags: 'full' }, async () => {
    const mute = nsv.script('mute.cjs', 'setInterval(() => {}, 1000);');
    const starting = nsv.run('start', mute, '--wait-ready');
    await eventually(async () => (await nsv.list())[0]?.status === 'starting');
    await nsv.ok('stop', 'mute');
    const { code, stderr } = await starting;
    expect(code).toBe(6);
    expect(stderr).toContain('"stop"');
  });
});

describe('a process that was killed from outside', { tags: 'full' }, () => {
  it('is restarted, and the children that it left behind are stopped', async () => {
    const pids = join(nsv.directory, 'pids');
    const app = nsv.script('leaves.sh', `#!/bin/sh\nsleep 600 &\necho $! >> ${pids}\nwait\n`);
    await nsv.ok('start', app);
    const [orphan] = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
    const [parent] = await nsv.list();
    process.kill(parent!.pid!, 'SIGKILL');
    await eventually(async () => (await nsv.list())[0]?.restarts === 1);
    await eventually(() => !isAlive(orphan!));
  });
});

describe('scale', { tags: 'full' }, () => {
  it('starts an instance that was stopped by its id, but nothing of an app that was stopped as a whole', async () => {
    await nsv.sleeper('one', '-i', '2', '--no-wait');
    await nsv.ok('stop', '1');
    await nsv.ok('scale', 'one', '2');
    expect((await nsv.list()).map(({ status }) => status)).toEqual(['online', 'online']);
    await nsv.ok('stop', 'one');
    const { code, stderr } = await nsv.run('scale', 'one', '3');
    expect([code, stderr]).toEqual([0, 'one is not running: run "nsv start one" to start its 3 instances\n']);
    expect((await nsv.list()).map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped']);
  });
});

describe('concurrent commands on one app', { tags: 'full' }, () => {
  it('run one after the other, and leave a complete app', async () => {
    await nsv.ok('start', '/bin/sleep', '-i', '2', '--', '600');
    const words = [
      ['restart', 'sleep'],
      ['scale', 'sleep', '4'],
      ['reload', 'sleep'],
      ['scale', 'sleep', '3'],
      ['restart', 'sleep'],
    ];
    const ran = await Promise.all(words.map((command) => nsv.run(...command)));
    const said = words.map(([name]) =>
      name === 'reload' ? expect.stringContaining('sleep was down for a moment') : '',
    );
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(said.map((text) => [0, text]));
    const processes = await nsv.list();
    expect(processes.every(({ status }) => status === 'online')).toBe(true);
    expect(processesWith(`NSV_HOME=${nsv.home}`, 'NSV_APP=sleep').sort()).toEqual(
      processes.map(({ pid }) => pid!).sort(),
    );
  });
});

describe('the daemon', () => {
  it('stops every app when it gets SIGTERM', async () => {
    await nsv.ok('start', '/bin/sleep', '-i', '3', '--', '600');
    const daemon = nsv.daemonPid!;
    process.kill(daemon, 'SIGTERM');
    await eventually(() => !isAlive(daemon));
    expect(processesWith(`NSV_HOME=${nsv.home}`, 'NSV_APP=sleep')).toEqual([]);
    expect(nsv.daemonPid).toBeUndefined();
  });

  it('keeps neither the environment nor the directory of its first shell', { tags: 'full' }, async () => {
    const first = { env: { SECRET_OF_THE_FIRST: 'x' }, cwd: dirname(nsv.directory) };
    await nsv.runWith(first, 'start', '/bin/sleep', '--no-wait', '--', '600');
    const environ = readFileSync(`/proc/${nsv.daemonPid}/environ`, 'utf8');
    expect(environ).not.toContain('SECRET_OF_THE_FIRST');
    const out = join(nsv.directory, 'env');
    const words = ['--name', 'printer', '--no-autorestart', '--', '-c', `env > ${out}; pwd >> ${out}`];
    await nsv.runWith({ env: { SECRET_OF_THE_SECOND: 'y' } }, 'start', '/bin/sh', ...words);
    const seen = readFileSync(out, 'utf8');
    expect(seen).toContain('SECRET_OF_THE_SECOND=y');
    expect(seen).not.toContain('SECRET_OF_THE_FIRST');
    expect(seen.trim().split('\n').at(-1)).toBe(nsv.directory);
  });
});

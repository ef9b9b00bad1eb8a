// The nice value, the limits and the score of processes, as the kernel has them.
import { readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasProc } from '../../../src/os/proc.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { attackerForEach, whyNoOtherUser } from '../../helpers/foreign.ts';
import { homeForEach, isAlive, launcher } from '../../helpers/nsv.ts';

const nobody = attackerForEach();
const nsv = homeForEach();

/** A Node program, whose path is only known in a test. */
const idle = () => nsv.script('idle.cjs', 'setInterval(() => {}, 1e6)');

const read = (pid: number, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
const limitOf = (pid: number, name: string) =>
  new RegExp(`^Max ${name} +(\\S+) +(\\S+)`, 'm').exec(read(pid, 'limits'))?.slice(1).join(':');
const granted = (pid: number) => ({
  nice: getPriority(pid),
  nofile: limitOf(pid, 'open files'),
  core: limitOf(pid, 'core file size'),
  score: read(pid, 'oom_score_adj').trim(),
});
const groupsOf = (pid: number) => (/^Groups:(.*)$/m.exec(read(pid, 'status'))?.[1] ?? '').trim().split(' ').map(Number);

/** The process of the app, once it is online and not this one any more. */
const pidOf = (name = 'web', before?: number) =>
  eventually(async () => {
    const [view] = await nsv.list(name);
    return view?.status === 'online' && view.pid !== before && view.pid;
  }) as Promise<number>;

async function crash(pid: number): Promise<number> {
  process.kill(pid, 'SIGKILL');
  return pidOf('web', pid);
}

const options = ['--nice', '5', '--ulimit', 'nofile=512:1000,core=0', '--oom-score-adj', '300'];
/** Node raises its soft limit of open files to the hard one. */
const those = (soft: number) => ({ nice: 5, nofile: `${soft}:1000`, core: '0:0', score: '300' });

describe.runIf(hasProc)('settings of a process', () => {
  it.each([
    ['a Node program', () => [idle(), ...options], those(1000)],
    ['another program', () => ['/bin/sleep', ...options, '--', '600'], those(512)],
  ])('apply to %s, and again after a crash', async (_, words, facts) => {
    await nsv.ok('start', '--name', 'web', ...words());
    const pid = await pidOf();
    expect(granted(pid)).toEqual(facts);
    expect(granted(await crash(pid))).toEqual(facts);
    const shown = await nsv.ok('show', 'web');
    for (const line of [/nice +5\n/, /ulimit +nofile=512:1000,core=0\n/, /oomScoreAdj +300\n/])
      expect(shown).toMatch(line);
  });

  it('can be changed and removed by a reload and a restart', async () => {
    await nsv.ok('start', idle(), '--name', 'web', ...options);
    const first = await pidOf();
    await nsv.ok('reload', 'web', '--nice', '7', '--ulimit', 'nofile=900');
    const second = await pidOf('web', first);
    expect(granted(second)).toMatchObject({ nice: 7, nofile: '900:900', score: '300' });
    const { stderr } = await nsv.run('restart', 'web', '--no-nice', '--ulimit', 'null', '--oom-score-adj', '400');
    expect(stderr).toContain('nsv: web: nice 7 -> none, ulimit nofile=900 -> none, oomScoreAdj 300 -> 400');
    const daemon = granted(nsv.daemonPid!);
    expect(granted(await pidOf('web', second))).toEqual({ ...daemon, score: '400' });
  });

  it('survive the daemon, and the next one applies them to new processes', async () => {
    await nsv.sleeper('web', ...options, '--listen', '0');
    const pid = await pidOf();
    await nsv.replaceDaemon();
    expect(await pidOf()).toBe(pid);
    expect(granted(await crash(pid))).toEqual(those(512));
  });

  it('are read from a config file and from the command line of nsv run', async () => {
    const app = {
      name: 'web',
      script: '/bin/sh',
      args: ['-c', 'ulimit -S -n; ulimit -H -n; cat /proc/self/oom_score_adj'],
    };
    const settings = { nice: 5, ulimit: { nofile: '512:1000' }, oom_score_adj: 300, autorestart: false };
    const file = join(nsv.directory, 'nsv.config.json');
    writeFileSync(file, JSON.stringify({ apps: [{ ...app, ...settings }] }));
    const ran = await new Foreground(nsv, [file]).ended;
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/512\n.*1000\n.*300\n/) });
    const shell = await new Foreground(nsv, [...options, '--', 'sh', '-c', 'ulimit -n']).ended;
    expect(shell).toMatchObject({ code: 0, stdout: '512\n' });
  });
});

describe.runIf(hasProc)('a setting that the kernel refuses even to root', () => {
  const refused = 'cannot set --ulimit nofile=unlimited for "web", which was not started: Operation not permitted';
  const tooMuch = ['--ulimit', 'nofile=unlimited'];

  it('prevents the start of the app', async () => {
    const { code, stderr } = await nsv.run('start', idle(), '--name', 'web', '--no-wait', ...tooMuch);
    expect([code, stderr.split('\n')[0]]).toEqual([6, `nsv: ${refused}`]);
    expect(stderr).toContain('choose a value that the daemon may set');
    expect(await nsv.list()).toEqual([]);
  });

  it('prevents nsv run from running the program', { tags: 'full' }, async () => {
    const { code, stdout, stderr } = await new Foreground(nsv, ['--name', 'web', ...tooMuch, '--', 'echo', 'started'])
      .ended;
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain(`\nnsv: ${refused}\n`);
  });

  it('makes a reload fail without replacing a process', async () => {
    await nsv.ok('start', idle(), '--name', 'web');
    const pid = await pidOf();
    const { code, stderr } = await nsv.run('reload', 'web', ...tooMuch);
    expect([code, stderr.split('\n')[0]]).toEqual([6, expect.stringContaining(refused)]);
    expect(await pidOf()).toBe(pid);
    expect(isAlive(pid)).toBe(true);
  });
});

describe.skipIf(whyNoOtherUser)('an app of another user', () => {
  const asNobody = ['--uid', 'nobody', '--cwd', '/', '--groups', '4711,root'];

  it('keeps settings that only root may set, and additional groups, after a crash and under the next daemon', async () => {
    await nsv.sleeper('web', ...asNobody, '--nice', '-5', '--ulimit', 'nofile=512:1000');
    const first = await pidOf();
    const check = (pid: number) => {
      expect(granted(pid)).toMatchObject({ nice: -5, nofile: '512:1000' });
      expect(groupsOf(pid)).toEqual([0, 4711, nobody.gid].sort((a, b) => a - b));
      expect(read(pid, 'status')).toMatch(new RegExp(`^Uid:\\t${nobody.uid}\\t${nobody.uid}\\t`, 'm'));
    };
    check(first);
    const second = await crash(first);
    check(second);
    await nsv.replaceDaemon();
    expect(await pidOf()).toBe(second);
    check(await crash(second));
    expect(await nsv.ok('show', 'web')).toMatch(/groups +4711,0\n/);
  });
});

describe.skipIf(whyNoOtherUser)('a user who is not root', () => {
  const { uid, gid } = nobody;
  const user = ['setpriv', '--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups', launcher];
  const run = (...words: string[]) => {
    const ways = { program: user, env: { NSV_HOME: nobody.at('home'), HOME: nobody.directory } };
    return new Foreground(nsv, ['--cwd', '/', ...words, '--', '/bin/echo', 'started'], ways).ended;
  };

  it.each([
    [['--nice', '-5'], 'cannot set --nice -5 for "echo", which was not started: Permission denied'],
    [['--oom-score-adj', '-5'], 'cannot set --oom-score-adj -5 for "echo", which was not started: Permission denied'],
    [
      ['--ulimit', 'nofile=10:1048576'],
      'cannot set --ulimit nofile=10:1048576 for "echo", which was not started: Operation not permitted',
    ],
  ])('cannot use %j, and the app is not started', { tags: 'full' }, async (words, problem) => {
    const { code, stdout, stderr } = await run(...words);
    expect(stderr).toContain(problem);
    expect([code, stdout]).toEqual([6, '']);
  });

  it('may raise the nice value and the OOM score, and lower limits', async () => {
    const ran = await run('--nice', '5', '--ulimit', 'nofile=512:1000', '--oom-score-adj', '300');
    expect(ran).toMatchObject({ code: 0, stdout: 'started\n' });
  });
});

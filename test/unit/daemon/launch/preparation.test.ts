// The command lines of apps with and without settings for their processes, and what the shell says when it is refused one.
import { describe, expect, it } from 'vitest';
import { grantsOf, prepared, refusalIn } from '../../../../src/daemon/launch/preparation.ts';

const program = ['/app', 'arg'] as const;
const none = { nice: undefined, ulimit: [], oomScoreAdj: undefined };
const title = '# a process of nsv, before its program';
const fail = 'fail() { echo "nsv: cannot set $1" >&2; exit 125; }';

describe('the command of a process', () => {
  it('is that of the app if there is nothing to set', () => {
    expect(grantsOf(none)).toEqual([]);
    expect(prepared(program, grantsOf(none), undefined)).toBe(program);
  });

  it('sets everything in a single shell', () => {
    const grants = grantsOf({ nice: -5, ulimit: ['nofile=9', 'core=0'], oomScoreAdj: 300 }, '/usr/bin/renice');
    const [shell, flag, script, ...words] = prepared(program, grants, '/cgroup');
    expect([shell, flag, ...words]).toEqual(['/bin/sh', '-c', 'sh', '/cgroup/cgroup.procs', ...program]);
    expect(script?.split('\n')).toEqual([
      title,
      'echo 0 >"$1" || exit 125',
      'shift',
      fail,
      "echo 300 >/proc/self/oom_score_adj || fail '--oom-score-adj 300'",
      "/usr/bin/renice -5 -p $$ >/dev/null || fail '--nice -5'",
      "ulimit -n 9 || fail '--ulimit nofile=9'",
      "ulimit -c 0 || fail '--ulimit core=0'",
      'exec "$@"',
    ]);
  });

  it('contains only what is set', () => {
    const lines = (...words: Parameters<typeof prepared>) => prepared(...words)[2]?.split('\n');
    expect(lines(program, [], '/cgroup')).toEqual([title, 'echo 0 >"$1" || exit 125', 'shift', 'exec "$@"']);
    const grants = grantsOf({ ...none, nice: 0 });
    expect(lines(program, grants, undefined)).toEqual([
      title,
      fail,
      "renice 0 -p $$ >/dev/null || fail '--nice 0'",
      'exec "$@"',
    ]);
    expect(prepared(program, grants, undefined).slice(3)).toEqual(['sh', ...program]);
  });

  it.each([
    ['nofile=1024:65536', 'ulimit -n 65536 && ulimit -S -n 1024'],
    ['nofile=1024:unlimited', 'ulimit -n unlimited && ulimit -S -n 1024'],
    ['nproc=50', 'if (ulimit -u) >/dev/null 2>&1; then ulimit -u 50; else ulimit -p 50; fi'],
    ['cpu=60', 'ulimit -t 60'],
    ['core=1M', 'ulimit -c 2048'],
    ['fsize=1M', 'ulimit -f 2048'],
    ['stack=16M', 'ulimit -s 16384'],
    ['data=1G', 'ulimit -d 1048576'],
    ['as=1G', 'ulimit -v 1048576'],
    ['memlock=64K', 'ulimit -l 64'],
  ])('has %s in the units of the shell', (word, command) => {
    expect(grantsOf({ ...none, ulimit: [word] })).toEqual([{ setting: `--ulimit ${word}`, command }]);
  });
});

describe('the error of the shell', () => {
  const [notPermitted, denied] = ['Operation not permitted', 'Permission denied'];

  it.each([
    ['dash', '--ulimit nofile=9', `sh: 1: ulimit: error setting limit (${notPermitted})`, notPermitted],
    ['bash', '--ulimit nofile=9', `sh: line 1: ulimit: open files: cannot modify limit: ${notPermitted}`, notPermitted],
    ['busybox', '--ulimit nofile=9', `sh: error setting limit: ${notPermitted}`, notPermitted],
    ['util-linux', '--nice -5', `renice: failed to set priority for 7 (process ID): ${denied}`, denied],
    ['busybox', '--nice -5', `renice: setpriority: ${denied}`, denied],
    ['dash', '--oom-score-adj -5', 'sh: 1: echo: echo: I/O error', denied],
    [
      'dash',
      '--oom-score-adj 5',
      'sh: 1: cannot create /proc/self/oom_score_adj: Read-only file system',
      'Read-only file system',
    ],
    ['bash', '--oom-score-adj -5', `sh: line 1: echo: write error: ${denied}`, denied],
  ])('gives the reason of the kernel: %s, %s', (_, setting, line, reason) => {
    expect(refusalIn(`${line}\nnsv: cannot set ${setting}\n`)).toEqual({ setting, reason });
  });

  it('may be empty', () => {
    expect(refusalIn('')).toEqual({ setting: undefined, reason: 'the shell does not say why' });
  });
});

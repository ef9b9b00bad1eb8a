// What a process gets before it becomes the program: its cgroup, its nice value, its limits. A shell with the rights of the
// daemon does all of it, on the way to the program or to the one that changes the user: much of it needs root.
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import type { AppSpec } from '../../config/app-spec.ts';
import { readUlimit, resources, type Ulimit, type UlimitValue, unitOf } from '../../config/options/ulimit.ts';
import { commandOfProcess, executableOf } from '../../os/proc.ts';
import { findSystemProgram } from '../../os/programs.ts';
import type { Words } from '../../privileges/privileges.ts';
import { failure } from '../../shared/errors.ts';

type Granted = Pick<AppSpec, 'nice' | 'ulimit' | 'oomScoreAdj'>;

interface Step {
  /** As the user writes it. */
  setting: string;
  /** A command of the shell that fails if the kernel refuses. */
  command: string;
}

const shell = '/bin/sh';
/** By the first line, the next daemon knows the shell. */
const title = '# a process of nsv, before its program';

/**
 * The command, behind a shell that moves itself into the cgroup (from outside, the program might have forked before) and
 * gives itself what `grants` has. It ends with exit code 125 if it cannot. To be used outside of `withPrivileges`: the
 * user of the app may do neither.
 */
export function prepared(command: Words, grants: readonly Step[], cgroup: string | undefined): Words {
  if (grants.length === 0 && cgroup === undefined) return command;
  // 0 means the process that writes.
  const move = cgroup === undefined ? [] : ['echo 0 >"$1" || exit 125', 'shift'];
  const script = [title, ...move, ...(grants.length > 0 ? linesOf(grants) : []), 'exec "$@"'].join('\n');
  return [shell, '-c', script, 'sh', ...(cgroup === undefined ? [] : [`${cgroup}/cgroup.procs`]), ...command];
}

function linesOf(grants: readonly Step[]): string[] {
  const steps = grants.map(({ setting, command }) => `${command} || fail '${setting}'`);
  return [`fail() { echo "nsv: cannot set $1" >&2; exit 125; }`, ...steps];
}

/** Whether the process is that shell. The command line alone proves nothing: whoever starts a program chooses what it says. */
export function isPreparing(pid: number): boolean {
  return executableOf(pid) === realpathSync(shell) && commandOfProcess(pid).startsWith(`${shell} -c ${title}\n`);
}

/** What the settings mean for the shell; empty if there are none. `renice`: the program, if it is there. */
export function grantsOf({ nice, ulimit, oomScoreAdj }: Granted, renice = 'renice'): Step[] {
  return [
    // The redirection is made by the shell itself, which is `self`.
    ...(oomScoreAdj === undefined
      ? []
      : [{ setting: `--oom-score-adj ${oomScoreAdj}`, command: `echo ${oomScoreAdj} >/proc/self/oom_score_adj` }]),
    // Not nice(1), which starts the program also if the value is refused, and adds to the value of the daemon.
    ...(nice === undefined ? [] : [{ setting: `--nice ${nice}`, command: `${renice} ${nice} -p $$ >/dev/null` }]),
    // Last, because the steps above need descriptors, and a process for renice.
    ...ulimit.map((word) => ({ setting: `--ulimit ${word}`, command: commandFor(readUlimit(word)) })),
  ];
}

/**
 * Without -H and -S, `ulimit` sets both. That order works whether the limits rise or fall: no soft limit is ever above its
 * hard one.
 */
function commandFor({ name, soft, hard }: Ulimit): string {
  const set = (flag: string) => {
    const both = `ulimit ${flag} ${inUnits(hard, unitOf(name))}`;
    return soft === hard ? both : `${both} && ulimit -S ${flag} ${inUnits(soft, unitOf(name))}`;
  };
  const { flag } = resources[name];
  // In dash and busybox it is -p, which means something else in bash.
  return name === 'nproc' ? `if (ulimit -u) >/dev/null 2>&1; then ${set('-u')}; else ${set('-p')}; fi` : set(flag);
}

function inUnits(amount: UlimitValue, unit = 1): string {
  return amount === 'unlimited' ? amount : String(amount / unit);
}

/** Those that the kernel has permitted. It does so again: if not, the shell of the process ends. */
const permitted = new Set<string>();
/** Milliseconds. It takes three. */
const timeout = 10_000;

/**
 * The grants of an app. Throws CANNOT_SET if the kernel refuses one: a shell tries, as only the kernel knows which limits,
 * capabilities and filters hold for this daemon. `isChanged`: Node itself changes the user, before the shell runs.
 */
export function permittedGrants(spec: Granted & Pick<AppSpec, 'name'>, isChanged: boolean): Step[] {
  const { name, nice } = spec;
  // The PATH of the app is not to be trusted with the rights of the daemon.
  const renice = nice === undefined ? undefined : findSystemProgram('renice');
  const grants = grantsOf(spec, renice);
  if (grants.length === 0) return grants;
  const all = grants.map(({ setting }) => setting).join(' ');
  const refused = (setting: string, detail: string) => failure('CANNOT_SET', { name, setting, detail });
  if (isChanged) throw refused(all, 'setpriv (util-linux) is missing, which an app of another user needs');
  if (nice !== undefined && renice === undefined) throw refused(`--nice ${nice}`, 'the program renice is missing');
  const script = linesOf(grants).join('\n');
  if (permitted.has(script)) return grants;
  const { status, error, stderr } = spawnSync(shell, ['-c', script], {
    ...{ env: {}, cwd: '/', encoding: 'utf8', timeout },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (error) throw refused(all, error.message);
  if (status !== 0) {
    const { setting, reason } = refusalIn(stderr);
    throw refused(setting ?? all, reason);
  }
  permitted.add(script);
  return grants;
}

/** What the shell has said: the reason in words of its own, behind a colon or in parentheses, then our line. */
export function refusalIn(stderr: string): { setting: string | undefined; reason: string } {
  const lines = stderr.trim().split('\n');
  const [, setting] = /^nsv: cannot set (.+)$/.exec(lines.at(-1) ?? '') ?? [];
  const line = (setting === undefined ? lines.at(-1) : lines.at(-2)) ?? '';
  const reason = /\(([^()]+)\)$/.exec(line)?.[1] ?? line.slice(line.lastIndexOf(': ') + 1).trim();
  // dash says that of each failed write. Of a valid score, the kernel says nothing else: proc_pid_oom_score_adj(5).
  const isRefusedScore = setting?.startsWith('--oom-score-adj') && reason === 'I/O error';
  return { setting, reason: isRefusedScore ? 'Permission denied' : reason || 'the shell does not say why' };
}

// Checks of the daemon and its guard.
import { count } from '../shared/units.ts';
import { advice, ago, type Check, problem, when } from './check.ts';
import type { DaemonFacts } from './facts.ts';

/** Older deaths are not reported. */
const recently = 24 * 60 * 60_000;
/** Descriptors. Each process and each socket takes one or two, and each app inherits the limit. */
const fewDescriptors = 4_096;
const nextCommand = 'run "nsv list": it starts a new daemon, which adopts the running apps';

export const daemonChecks = {
  'daemon-stopped': problem(({ daemon: { pid, isStopped } }) =>
    when(isStopped, `the daemon (pid ${pid}) is paused by SIGSTOP or SIGTSTP`, `run "kill -CONT ${pid}"`),
  ),
  'daemon-silent': problem(({ daemon: { answer, pid, isStopped } }) =>
    answer.kind === 'silent' && !isStopped
      ? when(
          true,
          `the daemon${pid === undefined ? '' : ` (pid ${pid})`} did not answer within ${answer.seconds} s`,
          pid === undefined
            ? 'see daemon.log'
            : `wait, then run "kill -9 ${pid}": the apps keep running, and the next daemon adopts them`,
        )
      : [],
  ),
  'daemon-failed': problem(({ daemon: { answer } }) =>
    answer.kind === 'failed' ? [{ what: answer.detail, remedy: answer.hint }] : [],
  ),
  'daemon-without-socket': problem(({ daemon: { answer, pid, isStopped } }) =>
    when(
      answer.kind === 'nobody' && pid !== undefined && !isStopped,
      `the daemon (pid ${pid}) is running, but its socket is gone, so commands cannot connect`,
      `run "kill -9 ${pid}": the apps keep running, and the next daemon adopts them`,
    ),
  ),
  'daemon-dead': problem(({ daemon }) =>
    when(
      daemon.answer.kind === 'nobody' &&
        daemon.pid === undefined &&
        daemon.diedAs !== undefined &&
        daemon.launch === undefined,
      `the daemon (pid ${daemon.diedAs}) died and was not restarted${daemon.log.gaveUp === undefined ? '' : `: ${daemon.log.gaveUp}`}`,
      daemon.log.gaveUp === undefined ? nextCommand : `${nextCommand}; daemon.log says why they died`,
    ),
  ),
  'daemon-of-former-home': problem(({ former, home }) =>
    former.map(({ pid, renamedTo }) => ({
      what: `a daemon (pid ${pid}) still runs apps for a home that was ${renamedTo ? `renamed from ${home.path} to ${renamedTo}` : `deleted from ${home.path}; no command reaches it`}`,
      remedy: `${renamedTo ? 'rename it back, or ' : ''}run "kill ${pid}": it stops its apps and ends`,
    })),
  ),
  'launch-failed': problem(({ daemon: { answer, launch } }) =>
    when(
      answer.kind === 'nobody' && launch !== undefined,
      `the last daemon failed to start: ${launch}`,
      'daemon-start.log in the nsv home says what to do',
    ),
  ),
  'guard-gone': problem(({ daemon: { answer, pid, guard } }) =>
    when(
      answer.kind === 'well' && guard === 'gone',
      'the guard process is gone, so a daemon that dies is only restarted by the next command',
      `run "kill -9 ${pid}", then "nsv list": the apps keep running, and the new daemon has a guard again`,
    ),
  ),
  'daemon-crashes': advice(({ daemon, now }) => {
    const deaths = daemon.log.deaths.filter((at) => now - at < recently);
    const last = daemon.log.lastError === undefined ? '' : `, last error: "${daemon.log.lastError}"`;
    return when(
      deaths.length > 0,
      `the daemon died ${count(deaths.length, 'time')} within a day, most recently ${ago(deaths.at(-1) ?? now, now)}${last}`,
      'see daemon.log (and dmesg for a lack of memory); please report a bug in nsv',
    );
  }),
  'daemon-warnings': advice(({ daemon, now }) => {
    const recent = daemon.log.warnings.filter(({ at }) => now - at < recently);
    const last = recent.at(-1);
    return when(
      last !== undefined,
      `the daemon logged ${count(recent.length, 'warning')} within a day, most recently ${ago(last?.at ?? now, now)}: ${last?.text}`,
      'run "nsv events --since 1d" to see what happened around them',
    );
  }),
  'versions-differ': advice(({ daemon, here }) => {
    const theirs = versionsOf(daemon);
    const isOtherBuild = daemon.answer.kind === 'well' && daemon.answer.build !== here.build;
    const ours = `nsv ${here.version} on Node ${here.node}`;
    return when(
      theirs !== undefined && (theirs !== ours || isOtherBuild),
      theirs === ours
        ? `the daemon is another build of nsv ${here.version}`
        : `the daemon is ${theirs}, and this command is ${ours}`,
      'run "nsv update"',
    );
  }),
  'without-copy': advice(({ daemon, home }) =>
    when(
      daemon.package !== undefined,
      `the daemon runs from ${daemon.package} itself, because it could not be copied: while nsv is replaced there, apps that crash may not come back`,
      `make /run/nsv (for root) or ${home.path}/copies writable for its owner only, then run "nsv update"`,
    ),
  ),
  'descriptors-short': problem(({ daemon: { descriptors: { used, limit } = { used: 0, limit: 1 } } }) =>
    when(
      used > limit * 0.8,
      `the daemon uses ${used} of ${limit} file descriptors`,
      'raise "ulimit -n" (LimitNOFILE in systemd), then run "nsv update"',
    ),
  ),
  'descriptors-few': advice(({ daemon: { descriptors } }) =>
    when(
      descriptors && descriptors.limit < fewDescriptors,
      `the daemon and each app are limited to ${descriptors?.limit} open files and sockets`,
      'raise "ulimit -n" (LimitNOFILE in systemd), then run "nsv update"',
    ),
  ),
} satisfies Record<string, Check>;

function versionsOf({ answer }: DaemonFacts): string | undefined {
  return answer.kind === 'well' ? `nsv ${answer.view.version} on Node ${answer.view.node}` : undefined;
}

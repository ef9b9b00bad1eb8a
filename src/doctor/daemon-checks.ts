// The daemon and its guard.
import { ago, type Check, count, when } from './check.ts';
import type { DaemonFacts } from './facts.ts';

/** Deaths longer ago are no longer worth a word. */
const recently = 24 * 60 * 60_000;
/** Descriptors: one or two for each process and each socket, and each app inherits the limit. */
const fewDescriptors = 4_096;
const nextCommand = 'run "nsv list": it starts the next daemon, which takes over what runs';

export const daemonChecks = {
  'daemon-stopped': {
    level: 'problem',
    find: ({ daemon: { pid, isStopped } }) =>
      when(isStopped, `the daemon (pid ${pid}) stands still: somebody has stopped it`, `kill -CONT ${pid}`),
  },
  'daemon-silent': {
    level: 'problem',
    find: ({ daemon: { answer, pid, isStopped } }) =>
      answer.kind === 'silent' && !isStopped
        ? when(
            true,
            `the daemon${pid === undefined ? '' : ` (pid ${pid})`} has not answered for ${answer.seconds} s`,
            pid === undefined
              ? 'look at daemon.log'
              : `wait; then kill -9 ${pid}: the apps go on, and the next one takes them over`,
          )
        : [],
  },
  'daemon-failed': {
    level: 'problem',
    find: ({ daemon: { answer } }) => (answer.kind === 'failed' ? [{ what: answer.detail, remedy: answer.hint }] : []),
  },
  'daemon-without-socket': {
    level: 'problem',
    find: ({ daemon: { answer, pid, isStopped } }) =>
      when(
        answer.kind === 'nobody' && pid !== undefined && !isStopped,
        `the daemon (pid ${pid}) runs, but its socket is gone: no command reaches it`,
        `kill -9 ${pid}: the apps go on, and the next daemon takes them over`,
      ),
  },
  'daemon-dead': {
    level: 'problem',
    find: ({ daemon }) =>
      when(
        daemon.answer.kind === 'nobody' && daemon.pid === undefined && daemon.diedAs !== undefined,
        `the daemon (pid ${daemon.diedAs}) is dead, and nobody has started the next${daemon.log.gaveUp === undefined ? '' : `: ${daemon.log.gaveUp}`}`,
        daemon.log.gaveUp === undefined ? nextCommand : `${nextCommand}; look at daemon.log for why they died`,
      ),
  },
  'launch-failed': {
    level: 'problem',
    find: ({ daemon: { answer, launch } }) =>
      when(
        answer.kind === 'nobody' && launch !== undefined,
        `the last daemon could not be launched: ${launch}`,
        'see daemon-start.log',
      ),
  },
  'guard-gone': {
    level: 'problem',
    find: ({ daemon: { answer, pid, guard } }) =>
      when(
        answer.kind === 'well' && guard === 'gone',
        'the guard of the daemon is gone: when the daemon dies, only the next command starts another',
        `kill -9 ${pid}, then "nsv list": the apps go on, and the next daemon has a guard again`,
      ),
  },
  'daemon-dies': {
    level: 'advice',
    find: ({ daemon, now }) => {
      const deaths = daemon.log.deaths.filter((at) => now - at < recently);
      const last = daemon.log.fall === undefined ? '' : `, the last time it fell by "${daemon.log.fall}"`;
      return when(
        deaths.length > 0,
        `the daemon has died ${count(deaths.length, 'time')} within a day, last ${ago(deaths.at(-1) ?? now, now)}${last}`,
        'look at daemon.log (and dmesg for a lack of memory); a mistake of nsv is worth a report',
      );
    },
  },
  'versions-differ': {
    level: 'advice',
    find: ({ daemon, here }) => {
      const theirs = versionsOf(daemon);
      return when(
        theirs !== undefined && theirs !== `nsv ${here.version} on Node ${here.node}`,
        `the daemon is ${theirs}, and this command nsv ${here.version} on Node ${here.node}`,
        'nsv update',
      );
    },
  },
  'descriptors-short': {
    level: 'problem',
    find: ({ daemon: { descriptors: { used, limit } = { used: 0, limit: 1 } } }) =>
      when(
        used > limit * 0.8,
        `the daemon has ${used} of ${limit} file descriptors in use`,
        'raise "ulimit -n" (LimitNOFILE), then "nsv update"',
      ),
  },
  'descriptors-few': {
    level: 'advice',
    find: ({ daemon: { descriptors } }) =>
      when(
        descriptors && descriptors.limit < fewDescriptors,
        `the daemon, and with it each app, may have only ${descriptors?.limit} open files and sockets`,
        'raise "ulimit -n" (LimitNOFILE), then "nsv update"',
      ),
  },
} satisfies Record<string, Check>;

function versionsOf({ answer }: DaemonFacts): string | undefined {
  return answer.kind === 'well' ? `nsv ${answer.view.version} on Node ${answer.view.node}` : undefined;
}

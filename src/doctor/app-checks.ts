// The apps and their processes.
import type { ProcessView, Status } from '../ipc/views.ts';
import { renderSize } from '../shared/units.ts';
import { type Check, count, firstFew, when } from './check.ts';
import type { AppFacts, Facts } from './facts.ts';

/** A log this many times as large as it may get is not being rotated. */
const manyTimes = 3;

export const appChecks = {
  'given-up': {
    level: 'problem',
    find: of((app) => {
      const [first, ...others] = withStatus(app, 'errored');
      const which = others.length > 0 ? ` (${others.length + 1} of ${count(app.processes.length, 'process')})` : '';
      return when(
        first !== undefined,
        `nsv has given up on "${app.spec.name}"${which}: ${first?.reason ?? 'it failed'}`,
        `nsv logs ${app.spec.name} --err; then nsv restart ${app.spec.name}`,
      );
    }),
  },
  crashing: {
    level: 'problem',
    find: of((app) => {
      const [first] = withStatus(app, 'waiting restart');
      const { name } = app.spec;
      return when(
        first !== undefined,
        `"${name}" ends again and again (restarts: ${first?.restarts})`,
        `nsv logs ${name} --err`,
      );
    }),
  },
  'standing-still': {
    level: 'problem',
    find: of(({ spec: { name }, stopped }) =>
      stopped.map((pid) => ({
        what: `"${name}" (pid ${pid}) stands still: somebody has stopped it`,
        remedy: `kill -CONT ${pid}`,
      })),
    ),
  },
  unrunnable: {
    level: 'problem',
    find: of(({ spec: { name }, unrunnable }) =>
      when(
        unrunnable !== undefined,
        `"${name}" cannot be started again: ${unrunnable}`,
        `put it back, or give the app another by nsv reload ${name} --script <file> --cwd <directory>`,
      ),
    ),
  },
  'socket-lost': {
    level: 'problem',
    find: of(({ spec, sockets, processes }) =>
      when(
        !spec.node && spec.listen.length > sockets.length && processes.some(isRunning),
        `"${spec.name}" serves, but the daemon does not have its sockets: a daemon before it died`,
        `nsv stop ${spec.name}, then nsv start ${spec.name}: until then it cannot be restarted, reloaded or scaled`,
      ),
    ),
  },
  'user-apart': {
    level: 'advice',
    find: of(({ spec: { name, uid, node }, processes }) =>
      when(
        node && uid !== undefined && Number(uid) !== process.geteuid?.() && processes.some(isRunning),
        `"${name}" runs as another user (${uid}): if the daemon dies, it cannot report to the next one`,
        'nothing, if that is meant; docs/daemon-death.md says what is different then',
      ),
    ),
  },
  'log-trouble': {
    level: 'problem',
    find: of(({ spec: { name }, logTroubles }) =>
      logTroubles.map((trouble) => ({
        what: `a log of "${name}": ${trouble}`,
        remedy: 'docs/logs.md tells what to do',
      })),
    ),
  },
  'log-unwritable': {
    level: 'problem',
    find: of(({ spec: { name }, logs }) =>
      logs.flatMap(({ file, unwritable }) =>
        when(
          unwritable !== undefined,
          `the log ${file} of "${name}" cannot be written: ${unwritable}`,
          'mend its permissions, or name another file with --output and --error',
        ),
      ),
    ),
  },
  'log-too-large': {
    level: 'problem',
    find: of(({ spec: { name, logMaxSize }, logs }) =>
      logs.flatMap(({ file, size }) =>
        when(
          logMaxSize > 0 && size > logMaxSize * manyTimes,
          `the log ${file} has ${renderSize(size)}, and may have ${renderSize(logMaxSize)}`,
          `nsv logs rotate ${name}, which says why it cannot be rotated`,
        ),
      ),
    ),
  },
  strays: {
    level: 'problem',
    find: ({ strays }) =>
      strays.map(({ pid, app, command }) => ({
        what: `pid ${pid} was started by nsv for "${app}" and is unknown to it now: ${command}`,
        remedy: `look at it; kill ${pid} ends it`,
      })),
  },
  unsaved: {
    level: 'advice',
    find: ({ apps, saved }) => {
      const running = apps.filter(({ processes }) => processes.some(isRunning)).map(({ spec }) => spec.name);
      const missing = running.filter((name) => !saved.apps?.some((known) => known.name === name));
      return when(
        missing.length > 0 && saved.broken === undefined,
        `what runs is not in the saved list, and gone after a boot: ${firstFew(missing)}`,
        'nsv save',
      );
    },
  },
  'not-resurrected': {
    level: 'problem',
    find: ({ apps, saved, daemon }) => {
      const wanted = saved.apps?.filter(({ active }) => active).map(({ name }) => name) ?? [];
      const resting = apps.filter((app) => wanted.includes(app.spec.name) && !app.processes.some(isAwake));
      return when(
        daemon.answer.kind === 'well' && daemon.log.isNewBoot && resting.length > 0,
        `saved as running, and stopped since the system was started anew: ${firstFew(resting.map(({ spec }) => spec.name))}`,
        'nsv resurrect (at each boot by itself: nsv startup); or nsv save, if they are to stay stopped',
      );
    },
  },
} satisfies Record<string, Check>;

/** The same look at each app. */
function of(find: (app: AppFacts) => ReturnType<Check['find']>): Check['find'] {
  return ({ apps }: Facts) => apps.flatMap(find);
}

function withStatus({ processes }: AppFacts, wanted: Status): ProcessView[] {
  return processes.filter(({ status }) => status === wanted);
}

function isRunning({ pid }: ProcessView): boolean {
  return pid !== null;
}

function isAwake({ status }: ProcessView): boolean {
  return status !== 'stopped';
}

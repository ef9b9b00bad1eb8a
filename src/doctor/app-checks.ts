// Checks of the apps and their processes.
import { describeCause } from '../ipc/records/deaths.ts';
import { problemText } from '../ipc/records/problems.ts';
import type { ProblemKind, ProcessView, Status } from '../ipc/views.ts';
import { count, firstFew, renderSize } from '../shared/units.ts';
import { advice, type Check, problem, type Symptom, when } from './check.ts';
import type { AppFacts } from './facts.ts';

/** A log this many times larger than its limit is not being rotated. */
const manyTimes = 3;

const remedies: Record<ProblemKind, (name: string) => string> = {
  reload: (name) => `fix the cause, then run "nsv reload ${name}"; the old version serves until then`,
  package: () => 'run "nsv update": the daemon that takes over has its own',
  ready: () => "have it call process.send('ready'), or remove wait_ready: each start takes as long as --listen-timeout",
  interpreter: (name) => `run "nsv restart ${name} --interpreter <program>" with the one to use`,
  watch: (name) => `change what it watches: "nsv reload ${name} --watch <paths> --ignore-watch <patterns>"`,
  log: () => 'free some space, or fix the permissions of its directory: nsv retries by itself',
  'log file': (name) =>
    `run "nsv logs reopen ${name}" if it was renamed; otherwise "nsv reload ${name}" gives the app a new file`,
  'pid file': () => 'check the permissions of its directory: the next start writes the file',
  settings: () => 'fix the file: nsv reads it as soon as it changes',
  'on-death': fixCommand,
  'on-giveup': fixCommand,
  post_stop: fixCommand,
};

function fixCommand(name: string): string {
  return `fix the command; "nsv reset ${name}" dismisses this`;
}

export const appChecks = {
  'given-up': problemOfApp((app) => {
    const [first, ...others] = withStatus(app, 'errored');
    const which = others.length > 0 ? ` (${others.length + 1} of ${count(app.processes.length, 'process')})` : '';
    return when(
      first !== undefined,
      `nsv gave up on "${app.spec.name}"${which}: ${first?.reason ?? 'it failed'}`,
      `run "nsv logs ${app.spec.name} --err" to see why, then "nsv restart ${app.spec.name}"`,
    );
  }),
  crashing: problemOfApp((app) => {
    const [first] = withStatus(app, 'waiting restart');
    const { name } = app.spec;
    return when(
      first !== undefined,
      `"${name}" keeps exiting (restarts: ${first?.restarts})${first?.lastDeath ? `: ${describeCause(first.lastDeath)}` : ''}`,
      `run "nsv logs ${name} --err" to see why`,
    );
  }),
  'app-paused': problemOfApp(({ spec: { name }, stopped }) =>
    stopped.map((pid) => ({
      what: `"${name}" (pid ${pid}) is paused by SIGSTOP or SIGTSTP`,
      remedy: `run "kill -CONT ${pid}"`,
    })),
  ),
  unrunnable: problemOfApp(({ spec: { name }, unrunnable }) =>
    when(
      unrunnable !== undefined,
      `"${name}" cannot be started again: ${unrunnable}`,
      `restore it, or run "nsv restart ${name}" with another --script, --interpreter or --cwd`,
    ),
  ),
  'socket-lost': problemOfApp(({ spec, sockets, processes }) =>
    when(
      !spec.node && spec.listen.length > sockets.length && processes.some(isRunning),
      `"${spec.name}" is serving, but the daemon lost its sockets in a crash`,
      `run "nsv stop ${spec.name}", then "nsv start ${spec.name}"; until then it cannot be restarted, reloaded or scaled`,
    ),
  ),
  'app-problem': problemOfApp(({ spec: { name }, problems }) =>
    problems.map((each) => ({ what: `"${name}": ${problemText(each)}`, remedy: remedies[each.about](name) })),
  ),
  'log-unwritable': problemOfApp(({ spec: { name }, logs }) =>
    logs.flatMap(({ file, unwritable }) =>
      when(
        unwritable !== undefined,
        `the log ${file} of "${name}" cannot be written: ${unwritable}`,
        'fix its permissions, or choose other files with --output and --error',
      ),
    ),
  ),
  'log-too-large': problemOfApp(({ spec: { name, logMaxSize }, logs }) =>
    logs.flatMap(({ file, size }) =>
      when(
        logMaxSize > 0 && size > logMaxSize * manyTimes,
        `the log ${file} has ${renderSize(size)}, above its limit of ${renderSize(logMaxSize)}`,
        `run "nsv logs rotate ${name}" to see why it is not rotated`,
      ),
    ),
  ),
  strays: problem(({ strays }) =>
    strays.map(({ pid, app, command }) => ({
      what: `pid ${pid} was started by nsv for "${app}", but nsv no longer manages it: ${command}`,
      remedy: `check what it is, then run "kill ${pid}" to stop it`,
    })),
  ),
  unsaved: advice(({ apps, saved }) => {
    const running = apps.filter(({ processes }) => processes.some(isRunning)).map(({ spec }) => spec.name);
    const missing = running.filter((name) => !saved.apps?.some((known) => known.name === name));
    return when(
      missing.length > 0 && saved.broken === undefined,
      `running, but not saved for the next boot: ${firstFew(missing)}`,
      'run "nsv save"',
    );
  }),
  'saved-unrunnable': problem(({ apps, saved }) =>
    (saved.apps ?? []).flatMap(({ name, active, unrunnable }) => {
      const known = apps.find(({ spec }) => spec.name === name);
      return when(
        active && unrunnable !== undefined && known?.unrunnable !== unrunnable,
        `"${name}" is saved for the next boot, but cannot be started: ${unrunnable}`,
        known && known.unrunnable === undefined
          ? 'run "nsv save" to update the list'
          : `restore it, or drop the app: run "nsv delete ${name}", then "nsv save"`,
      );
    }),
  ),
  'not-resurrected': problem(({ apps, saved, daemon }) => {
    const wanted = saved.apps?.filter(({ active }) => active).map(({ name }) => name) ?? [];
    const resting = apps.filter((app) => wanted.includes(app.spec.name) && !app.processes.some(isAwake));
    return when(
      daemon.answer.kind === 'well' && daemon.log.isNewBoot && resting.length > 0,
      `saved as running, but stopped since the last reboot: ${firstFew(resting.map(({ spec }) => spec.name))}`,
      'run "nsv resurrect" to start them ("nsv startup" does so at every boot), or "nsv save" to keep them stopped',
    );
  }),
} satisfies Record<string, Check>;

/** Runs the same check for each app. */
function problemOfApp(find: (app: AppFacts) => Symptom[]): Check {
  return problem(({ apps }) => apps.flatMap(find));
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

// Starts any program, by default in its own session, with its log files as standard output and standard error.
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { Socket } from 'node:net';
import { DirectChannel, type Send } from '../../channels/channel.ts';
import type { AppSpec } from '../../config/app-spec.ts';
import type { Exit } from '../../ipc/views.ts';
import type { AppCgroups } from '../../os/cgroups/app-cgroups.ts';
import { startTimeOf } from '../../os/proc.ts';
import { spawnChild } from '../../os/spawn-child.ts';
import type { TreeMark } from '../../os/tree-mark.ts';
import { usualUmask, withUmask } from '../../os/umask.ts';
import { inDirectory, type Words, withPrivileges } from '../../privileges/privileges.ts';
import { inOwnCopy } from '../../shared/code/own-copy.ts';
import { errnoOf } from '../../shared/errno.ts';
import { detailOf, failure, type NsvError } from '../../shared/errors.ts';
import { isGone } from '../../shared/log-file.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Brokers } from '../channels/brokers.ts';
import type { FormattedOutput, Formatting } from '../output/formatting.ts';
import { allFiles, type Streams } from '../output/streams.ts';
import { commandOf, environmentOf, withListenPid } from './command.ts';
import { treeMarkOf } from './descendants.ts';
import { goneText, whyNotExecutable } from './diagnosis.ts';
import { inputOf } from './input.ts';
import type { ChildEvents, Launcher, LaunchPlan } from './launcher.ts';
import { cgroupFor, isWholeTree, orWithoutCgroup } from './limits.ts';
import { withLogs } from './log-descriptors.ts';
import { collectOpenErrors, openingLogs, reportingTo, userLogs } from './open-logs.ts';
import { permittedGrants, prepared } from './preparation.ts';
import { giveSettings } from './runtime-settings.ts';
import { StackThread } from './stack-thread.ts';

export interface SpawnerOptions {
  /** Finds the file to preload into Node programs; undefined if it is gone. */
  preload(): string | undefined;
  /** If absent, all output goes to its files unchanged. */
  formatting?: Pick<Formatting, 'open'>;
  /** The socket on which Node programs reconnect after a daemon death. Absent if there is to be no next daemon. */
  workers?: string;
  /** Read the channels of apps of other users. If absent, the daemon reads them itself. */
  brokers?: Pick<Brokers, 'userOf' | 'addressFor' | 'take'> | undefined;
  /** For apps with limits. */
  cgroups?: AppCgroups;
}

export function createSpawner(options: SpawnerOptions): Launcher {
  return {
    launch(plan, events) {
      const { cwd, interpreter, script } = plan.spec;
      // First: a log may be below it, and would be created together with it.
      if (isGone(cwd)) throw failure('CANNOT_SPAWN', { program: interpreter ?? script, detail: goneText(cwd) });
      const channel = plan.format && withUmask(usualUmask, () => options.formatting?.open(plan, plan.format!));
      const tree = treeMarkOf(plan);
      const cgroup = cgroupFor(plan.spec, tree, options.cgroups);
      const { child, pid, problem } = orWithoutCgroup(cgroup, () =>
        withUmask(usualUmask, () => startInto(channel, { ...plan, cgroup }, tree, options)),
      );
      // Not 'close', which waits for all processes that have inherited the channel.
      child.on('exit', (code, signal) => reportExit({ code, signal }, events, channel, problem));
      const send = listen(child, plan, events, options);
      handOut(child, channel ?? plan, pid);
      giveSettings(child, plan);
      if (!plan.spec.node) watchForNewline(child, plan, events);
      return {
        pid,
        plan,
        tree,
        ...(isWholeTree(cgroup) && { cgroup }),
        startTime: startTimeOf(pid),
        send,
        input: inputOf(child),
        stackThread: threadOf(child, plan),
      };
    },
  };
}

/** Reports the exit when all output is in the log. A program whose log cannot be opened has printed nothing. */
function reportExit(
  exit: Exit,
  events: ChildEvents,
  channel: FormattedOutput | undefined,
  problem: Started['problem'],
): void {
  const report = (found?: NsvError) => {
    const written = channel?.end();
    if (found || !written) events.exited(exit, found);
    else written.then(() => events.exited(exit)).catch(throwUncaught);
  };
  if (problem) problem().then(report, throwUncaught);
  else report();
}

interface PlacedPlan extends LaunchPlan {
  cgroup: string | undefined;
}

/** Starts the program, with its output going to the channel if there is one. */
function startInto(
  channel: FormattedOutput | undefined,
  plan: PlacedPlan,
  tree: TreeMark | undefined,
  options: SpawnerOptions,
): Started {
  if (!channel) return start(plan, tree, options);
  const { outFile, errorFile } = channel;
  try {
    const started = start({ ...plan, outFile, errorFile }, tree, options, allFiles(plan));
    channel.begin(started.pid);
    return started;
  } catch (error) {
    channel.abandon();
    throw error;
  }
}

interface Started {
  child: ChildProcess;
  pid: number;
  /** Why the user of the app could not open a log; for after the exit. Absent if the daemon has opened all. */
  problem?: (() => Promise<NsvError | undefined>) | undefined;
}

/** `formatted`: the files behind the formatter. */
function start(
  plan: PlacedPlan,
  tree: TreeMark | undefined,
  { preload, workers, brokers }: SpawnerOptions,
  formatted: readonly string[] = [],
): Started {
  const { spec, sockets, cgroup } = plan;
  const user = brokers?.userOf(spec);
  const isBrokered = user !== undefined;
  const address = (isBrokered && workers !== undefined && brokers?.addressFor(user)) || workers;
  const program = commandOf(ownProgram(spec, preload), isOwnProcess(plan) && formatted.length === 0);
  const inherited = inheritedBy(plan, isBrokered);
  const theirs = userLogs(plan, formatted);
  const report = theirs && reportingTo(3 + inherited.length);
  // All that wraps it runs as the user of the app, but for the outermost shell, as the next daemon expects (state/search.ts).
  const listening = sockets.length > 0 ? withListenPid(program) : program;
  const inside = inDirectory(spec.cwd, spec, listening);
  const opened = theirs ? openingLogs(theirs, spec.umask, report, inside.command) : inside.command;
  const { command: privileged, identity } = withPrivileges(
    opened,
    spec,
    environmentOf(plan, tree, address, isBrokered),
  );
  const isChanged = identity.uid !== undefined || identity.gid !== undefined;
  // Node itself would change the user before the shell runs.
  if (cgroup !== undefined && isChanged)
    throw failure('CANNOT_LIMIT', {
      name: spec.name,
      detail: 'setpriv (util-linux) is missing, which an app of another user needs',
    });
  const command = prepared(privileged, permittedGrants(spec, isChanged), cgroup);
  if (command !== program) expectExecutable(program, spec.cwd);
  const outFile = theirs?.out === undefined ? plan.outFile : '/dev/null';
  const errorFile = theirs?.error === undefined ? plan.errorFile : '/dev/null';
  return withLogs(outFile, errorFile, (out, error) => {
    const options: SpawnOptions = {
      ...identity,
      cwd: inside.cwd,
      detached: plan.session !== 'ours',
      stdio: [
        plan.stdin ?? (spec.stdin === 'pipe' ? 'pipe' : 'ignore'),
        out,
        error,
        ...inherited,
        ...(report === undefined ? [] : ['pipe' as const]),
      ],
    };
    const started = withUmask(spec.umask, () => execute(command, options, program));
    const pipe = report === undefined ? undefined : started.child.stdio[report];
    return { ...started, problem: pipe ? collectOpenErrors(pipe as Socket, theirs!, spec.uid!) : undefined };
  });
}

/** With what is nsv's own as this daemon has it. Throws PACKAGE_GONE. */
function ownProgram(spec: AppSpec, preload: SpawnerOptions['preload']) {
  const found = spec.node ? preload() : '';
  if (found === undefined) throw failure('PACKAGE_GONE', {});
  return { ...spec, script: inOwnCopy(spec.script), preload: found };
}

/** Its error log is a file that the daemon has opened for it, as its own user: others are never attached to. */
function isOwnProcess({ spec, errorFile, session }: LaunchPlan): boolean {
  return typeof errorFile === 'string' && spec.uid === undefined && session !== 'ours';
}

/**
 * Descriptors from 3 on: Node's channel, the pipe to its thread and its runtime settings; or the sockets and then the pipe on which
 * the program reports ready.
 */
function inheritedBy({ spec, sockets, runtimeSettings }: LaunchPlan, isBrokered: boolean): ('ipc' | 'pipe' | number)[] {
  const pipes = [hasWatchdog(spec), runtimeSettings !== undefined].filter((isThere) => isThere);
  if (spec.node) return [isBrokered ? 'pipe' : 'ipc', ...pipes.map(() => 'pipe' as const)];
  return [...sockets.map(({ fd }) => fd), ...(spec.waitReady ? ['pipe' as const] : [])];
}

function hasWatchdog({ node, watchdog }: LaunchPlan['spec']): boolean {
  return node && watchdog > 0;
}

/** Behind the channel. */
const threadDescriptor = 4;

function threadOf({ stdio }: ChildProcess, { spec }: LaunchPlan): StackThread | undefined {
  const pipe = hasWatchdog(spec) ? stdio[threadDescriptor] : undefined;
  return pipe instanceof Socket ? new StackThread(pipe, threadDescriptor) : undefined;
}

/** Checks the program first, because a wrapper would only report exit code 127 if it cannot be executed. */
function expectExecutable([program]: Words, cwd: string): void {
  const detail = whyNotExecutable(program, cwd);
  if (detail) throw failure('CANNOT_SPAWN', { program, detail });
}

const fileLimitHint =
  'the limit is that of the daemon: run "nsv kill", raise it ("ulimit -n", or LimitNOFILE= of a systemd unit), and start the apps again';

function execute([file, ...args]: Words, options: SpawnOptions, [program]: Words) {
  let child: ChildProcess;
  try {
    child = spawnChild(file, args, options);
  } catch (cause) {
    const hint = errnoOf(cause) === 'EMFILE' ? { hint: fileLimitHint } : {};
    throw failure('CANNOT_SPAWN', { program, detail: detailOf(cause) }, { cause, ...hint });
  }
  // Needed later too: when a channel breaks during a send, the exit event is enough.
  child.on('error', () => {});
  if (child.pid !== undefined) return { child, pid: child.pid };
  for (const stream of child.stdio) stream?.destroy();
  const detail = whyNotExecutable(file, String(options.cwd)) ?? 'the system refused to create another process';
  throw failure('CANNOT_SPAWN', { program, detail });
}

/** Returns what sends to the process. */
function listen(child: ChildProcess, plan: LaunchPlan, events: ChildEvents, { brokers }: SpawnerOptions): Send {
  if (child.connected) return new DirectChannel(child, events).send;
  const user = brokers?.userOf(plan.spec);
  const socket = child.stdio[3];
  if (!brokers || user === undefined || !(socket instanceof Socket)) return () => false;
  return brokers.take(user, socket, { child, mark: plan.mark }, events).send;
}

/** Passes piped output to its consumers. */
function handOut(
  { stdout, stderr }: ChildProcess,
  { outFile, errorFile }: Pick<Streams, 'outFile' | 'errorFile'>,
  pid: number,
): void {
  if (stdout && typeof outFile === 'function') outFile(stdout, pid);
  if (stderr && typeof errorFile === 'function') errorFile(stderr, pid);
}

/**
 * A newline on NSV_NOTIFY_FD means the same as `process.send('ready')` in Node. This is the convention of s6
 * (https://skarnet.org/software/s6/notifywhenup.html): nothing is read after the newline.
 */
function watchForNewline({ stdio }: ChildProcess, { spec, sockets }: LaunchPlan, events: ChildEvents): void {
  const pipe = spec.waitReady && !spec.node ? (stdio[3 + sockets.length] as Socket | null | undefined) : undefined;
  if (!pipe) return;
  pipe.on('data', (chunk: Buffer) => {
    if (!chunk.includes('\n')) return;
    events.message('ready', false);
    pipe.destroy();
  });
  pipe.on('error', () => {});
}

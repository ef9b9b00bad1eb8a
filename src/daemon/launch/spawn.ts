// Starts any program, by default in a session of its own, with its log files as standard output and standard error.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { environmentOf } from '../../config/environment.ts';
import { marker } from '../../ipc/worker-messages.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import type { Channel, Formatting } from '../output/formatting.ts';
import { startTimeOf } from '../proc.ts';
import { markName } from '../state/mark.ts';
import { commandOf, listenVariables, type Words, withListenPid } from './command.ts';
import { whyNotExecutable } from './diagnosis.ts';
import { inputOf } from './input.ts';
import type { Child, ChildEvents, Launcher, LaunchPlan } from './launcher.ts';
import { withLogs } from './log-descriptors.ts';
import { withPrivileges } from './privileges.ts';

export interface SpawnerOptions {
  /** Absolute path of what is loaded into Node programs first. */
  preload: string;
  /** Where there is none, all output goes to its files as it is printed. */
  formatting?: Pick<Formatting, 'open'>;
}

/** What an app may expect, whichever mask the daemon itself has: it guards its own files with a stricter one. */
const umask = 0o022;

export function createSpawner({ preload, formatting }: SpawnerOptions): Launcher {
  return {
    launch(plan, events) {
      const channel = plan.format && withUmask(() => formatting?.open(plan, plan.format!));
      const { child, pid } = withUmask(() => startInto(channel, plan, preload));
      listen(child, channel ? { ...events, exited: (exit) => channel.end().then(() => events.exited(exit)) } : events);
      handOut(child, plan, pid);
      hearNewline(child, events);
      return { pid, plan, startTime: startTimeOf(pid), send: sender(child), input: inputOf(child) };
    },
  };
}

/** Everything between the two changes is synchronous, so nothing else sees the other mask. */
function withUmask<T>(run: () => T): T {
  const own = process.umask(umask);
  try {
    return run();
  } finally {
    process.umask(own);
  }
}

/** The program writes into the channel, if there is one. */
function startInto(channel: Channel | undefined, plan: LaunchPlan, preload: string) {
  if (!channel) return start(plan, preload);
  const { outFile, errorFile } = channel;
  try {
    const started = start({ ...plan, outFile, errorFile }, preload);
    channel.begin(started.pid);
    return started;
  } catch (error) {
    channel.abandon();
    throw error;
  }
}

function start(plan: LaunchPlan, preload: string): { child: ChildProcess; pid: number } {
  const { spec, sockets } = plan;
  const program = commandOf(spec, preload);
  const { command, ids } = withPrivileges(program, spec);
  const isWrapped = command !== program || sockets.length > 0;
  if (isWrapped) expectExecutable(program, spec.cwd);
  return withLogs(plan.outFile, plan.errorFile, (out, error) => {
    const options: SpawnOptions = {
      ...ids,
      cwd: spec.cwd,
      env: { ...environmentOf(spec, plan), ...conventions(plan), ...(plan.mark && { [markName]: plan.mark }) },
      detached: plan.session !== 'ours',
      stdio: [plan.stdin ?? (spec.stdin === 'pipe' ? 'pipe' : 'ignore'), out, error, ...inheritedBy(plan)],
    };
    return execute(sockets.length > 0 ? withListenPid(command) : command, options, program);
  });
}

/** From descriptor 3 on: Node's channel; or the sockets, and last the pipe through which a program says that it is ready. */
function inheritedBy({ spec, sockets }: LaunchPlan): ('ipc' | 'pipe' | number)[] {
  if (spec.node) return ['ipc'];
  return [...sockets.map(({ fd }) => fd), ...(spec.waitReady ? ['pipe' as const] : [])];
}

/** The variables that tell a program about the descriptors it inherits. */
function conventions({ spec, sockets }: LaunchPlan): Record<string, string> {
  return {
    ...(sockets.length > 0 && listenVariables(spec, sockets.length)),
    ...(spec.waitReady && !spec.node && { NSV_NOTIFY_FD: String(3 + sockets.length) }),
  };
}

/** Through a wrapper a program that cannot be executed is only an exit code, 127: so it is looked at before. */
function expectExecutable([program]: Words, cwd: string): void {
  const detail = whyNotExecutable(program, cwd);
  if (detail) throw failure('CANNOT_SPAWN', { program, detail });
}

function execute([file, ...args]: Words, options: SpawnOptions, [program]: Words) {
  let child: ChildProcess;
  try {
    child = spawn(file, args, options);
  } catch (cause) {
    throw failure('CANNOT_SPAWN', { program, detail: detailOf(cause) }, { cause });
  }
  // Also of use later: a channel that breaks while something is sent is told by the exit.
  child.on('error', () => {});
  if (child.pid !== undefined) return { child, pid: child.pid };
  const detail = whyNotExecutable(file, String(options.cwd)) ?? 'the system refuses another process for now';
  throw failure('CANNOT_SPAWN', { program, detail });
}

function listen(child: ChildProcess, events: ChildEvents): void {
  // Not 'close', which waits for everybody who has inherited the channel.
  child.on('exit', (code, signal) => events.exited({ code, signal }));
  if (!child.connected) return;
  child.on('message', (message, handle) => {
    discard(handle);
    events.message(message, false);
  });
  child.on('internalMessage', (message: unknown) => {
    if (isOurs(message)) events.message(message, true);
  });
}

/** Output that is read here goes to who wants it. */
function handOut({ stdout, stderr }: ChildProcess, { outFile, errorFile }: LaunchPlan, pid: number): void {
  if (stdout && typeof outFile === 'function') outFile(stdout, pid);
  if (stderr && typeof errorFile === 'function') errorFile(stderr, pid);
}

/**
 * A newline on NSV_NOTIFY_FD is to other programs what `process.send('ready')` is to Node's. The convention is that of
 * s6 (https://skarnet.org/software/s6/notifywhenup.html): after the newline nobody reads any more.
 */
function hearNewline({ stdio }: ChildProcess, events: ChildEvents): void {
  const pipe = stdio.slice(3).find((stream) => stream instanceof Socket);
  if (!pipe) return;
  pipe.on('data', (chunk: Buffer) => {
    if (!chunk.includes('\n')) return;
    events.message('ready', false);
    pipe.destroy();
  });
  pipe.on('error', () => {});
}

/** Node's own internal messages come the same way. */
function isOurs(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === marker;
}

/** An app may send a handle to a parent that is not its own program: nobody here wants it, and it must not stay open. */
function discard(handle: unknown): void {
  if (typeof handle !== 'object' || handle === null) return;
  if ('destroy' in handle && typeof handle.destroy === 'function') handle.destroy();
  else if ('close' in handle && typeof handle.close === 'function') handle.close();
}

function sender(child: ChildProcess): Child['send'] {
  return (message, handle, done = () => {}) => {
    if (!child.connected) return false;
    // Node sends bare handles as well as what it makes of them, but its types know only the latter. Without a callback
    // a failed write would be an 'error' event.
    child.send(message, handle as Parameters<ChildProcess['send']>[1], done);
    return true;
  };
}

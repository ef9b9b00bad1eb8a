// Starts the log rotator, for files that only another user can name safely as that user. What it says may come from that user
// then, so it is parsed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, rmSync, statSync } from 'node:fs';
import { LineReader, renderLine } from '../../ipc/frame.ts';
import { parseRotationReport, type RotationJob, type RotationReport } from '../../ipc/rotator-messages.ts';
import { threadStates } from '../../os/proc.ts';
import { type AppUser, withPrivileges } from '../../privileges/privileges.ts';

export interface RotatorProcess {
  send(job: RotationJob): void;
  /** Kills the rotator with SIGKILL. */
  kill(): void;
  /** Whether somebody has stopped it with a signal or a debugger. Absent if nobody else can. */
  isStopped?(): boolean;
}

export interface RotatorEvents {
  report(report: RotationReport): void;
  /** The rotator could not be started, or has exited. Called once. */
  ended(): void;
}

/** Bytes of a report, which may name many deleted files. */
const longest = 1024 * 1024;
/** How many reports a rotator may send, and how many more for each job. */
const reportsAtFirst = 64;
const reportsPerJob = 16;
/** Milliseconds for the recovery, which itself waits up to two seconds for another rotator. */
const timeout = 5_000;

/**
 * `record`: the file in the home that lists the paused processes. The rotator has it open, as another user cannot enter the home.
 * `owner`: that user. Default: the user of the daemon.
 */
export function launchRotator(
  program: string,
  record: string,
  { report, ended }: RotatorEvents,
  owner?: AppUser,
): RotatorProcess {
  const child = startAs(owner, [program], record, constants.O_TRUNC);
  const reader = new LineReader(longest);
  let allowance = reportsAtFirst;
  child.stdout?.on('data', (chunk: Buffer) => {
    try {
      for (const line of reader.read(chunk)) {
        allowance -= 1;
        if (allowance < 0) throw new Error('too many reports');
        report(parseRotationReport(JSON.parse(line), 'report'));
      }
    } catch {
      child.kill('SIGKILL');
    }
  });
  for (const stream of [child.stdin, child.stdout]) stream?.on('error', () => {});
  child.on('error', () => {
    if (child.pid === undefined) ended();
  });
  child.on('exit', () => {
    child.stdout?.destroy();
    ended();
  });
  return {
    send(job) {
      allowance += reportsPerJob;
      child.stdin?.write(renderLine(job));
    },
    kill: () => void child.kill('SIGKILL'),
    ...(owner && { isStopped: () => child.pid !== undefined && isStopped(child.pid) }),
  };
}

function isStopped(pid: number): boolean {
  return threadStates(pid).some((state) => /^t$/i.test(state));
}

/** Continues what a dead rotator of this user has paused, and completes or undoes its rotation. Then removes the record. */
export async function recoverAs(owner: AppUser, program: string, record: string): Promise<void> {
  if ((statSync(record, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    const child = startAs(owner, [program, 'recover'], record, 0);
    child.on('error', () => {});
    // Does not wait for the exit of one that it kills: a hanging file system keeps even that.
    await once(child, 'exit', { signal: AbortSignal.timeout(timeout) }).catch(() => child.kill('SIGKILL'));
  }
  rmSync(record, { force: true });
}

/** Uses its own session, so that under load the kernel gives it CPU time beside the apps it pauses. */
function startAs(owner: AppUser | undefined, words: string[], record: string, how: number): ChildProcess {
  const fd = openSync(record, constants.O_RDWR | constants.O_CREAT | how, 0o600);
  try {
    const { command, identity } = withPrivileges(
      [process.execPath, ...words],
      owner ?? { uid: undefined, gid: undefined },
      {},
    );
    const [file, ...args] = command;
    const errors = owner ? 'ignore' : 'inherit';
    return spawn(file, args, { ...identity, cwd: '/', detached: true, stdio: ['pipe', 'pipe', errors, fd] });
  } finally {
    closeSync(fd);
  }
}

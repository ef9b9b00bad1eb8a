// Runs the helper program for one job.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { BindError, type Handle } from '../../../os/handle.ts';
import { realClock } from '../../../shared/clock.ts';
import { type FileIdentity, parseAnswer, type SocketJob } from './job.ts';

/** Milliseconds. The user may stop the helper, or have a file system that never answers. */
const patience = 10_000;

export interface BoundFile {
  handle: Handle;
  file: FileIdentity;
}

/** Throws BindError. */
export async function bindAs(program: string, job: Omit<SocketJob, 'remove'>): Promise<BoundFile> {
  const child = start(program, job);
  const bound = new Promise<BoundFile>((resolve, reject) => {
    child.once('message', (message: unknown, handle: unknown) => {
      const answer = parseAnswer(message);
      if (answer?.type === 'bound' && handle) resolve({ handle: handle as Handle, file: answer.file });
      else reject(new BindError(answer?.type === 'failed' ? answer.errno : -constants.errno.EIO));
    });
    const died = () => reject(new BindError(-constants.errno.EIO));
    child.once('error', died);
    child.once('exit', died);
  });
  try {
    return await bound;
  } finally {
    child.kill('SIGKILL');
  }
}

/** Resolves when the file is gone, or cannot be removed. */
export async function removeAs(program: string, job: SocketJob & Required<Pick<SocketJob, 'remove'>>): Promise<void> {
  const child = start(program, job);
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
}

/** In a session of its own: the signals of a terminal are not meant for it. It gets no variables of root's. */
function start(program: string, job: SocketJob): ChildProcess {
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', job.remove ? 'ignore' : 'ipc'],
  });
  const cancel = realClock.after(patience, () => child.kill('SIGKILL'));
  child.on('error', cancel);
  child.once('exit', cancel);
  return child;
}

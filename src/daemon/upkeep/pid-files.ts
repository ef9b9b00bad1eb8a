// Writes the pid of each process to its `pid_file`, for tools that read it.
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs';
import type { AppSpec } from '../../config/app-spec.ts';
import { pidFileOf } from '../../config/pid-file.ts';
import { openToRead } from '../../os/trust/open-to-read.ts';
import { withUmask } from '../../os/umask.ts';
import { shellAs } from '../../privileges/privileges.ts';
import { detailOf } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { EventBus } from '../events.ts';
import type { ReportProblem } from '../problems.ts';

type Settings = Pick<AppSpec, 'pidFile' | 'uid' | 'gid' | 'umask'>;

export interface PidFileDeps {
  /** Those that the process was started with. Undefined if there is no such process. */
  settingsOf(app: string, pid: number): Settings | undefined;
  /** Tells which files the user of an app has to write itself (os/trust/trusted-path.ts). Undefined for none. */
  userFilesOf(settings: Settings): ((file: string) => boolean) | undefined;
  report: ReportProblem;
}

/** Renames, so that a reader never finds half of it, and a link is replaced rather than followed. */
const writing = 'umask "$1"; printf "%s\\n" "$3" >"$2.$$" && mv -f -- "$2.$$" "$2" || { rm -f -- "$2.$$"; exit 1; }';
const removing = '[ ! -f "$1" ] || [ "$(cat -- "$1")" != "$2" ] || rm -f -- "$1"';

/** The returned function resolves when all files are as they should be. */
export function keepPidFiles(
  events: EventBus,
  { settingsOf, userFilesOf, report }: PidFileDeps,
): () => Promise<unknown> {
  /** What is under way as another user, by file: one after the other. */
  const queues = new Map<string, Promise<void>>();
  /** The settings of processes that run, by pid: a reload may have changed those of the app. */
  const written = new Map<number, { file: string; settings: Settings }>();

  function queue(file: string, run: () => Promise<void>, ended: (error?: unknown) => void): void {
    const after = queues.get(file) ?? Promise.resolve();
    const done: Promise<void> = after
      .then(run)
      .then(() => ended(), ended)
      .then(() => void (queues.get(file) === done && queues.delete(file)));
    done.catch(throwUncaught);
    queues.set(file, done);
  }

  events.subscribe((event) => {
    if (event.type !== 'start' && event.type !== 'exit') return;
    const isStarted = event.type === 'start';
    const settings = written.get(event.pid)?.settings ?? settingsOf(event.app, event.pid);
    if (settings?.pidFile === undefined) return;
    const { umask } = settings;
    const file = pidFileOf(settings.pidFile, event.slot);
    const pid = String(event.pid);
    if (isStarted) written.set(event.pid, { file, settings });
    else written.delete(event.pid);
    // One that cannot be removed is out of date, which its readers have to expect anyway: a machine may lose its power.
    const ended = (error?: unknown) => {
      const isOfAnother = [...written.values()].some((other) => other.file === file);
      if (isStarted || !isOfAnother)
        report(event.app, 'pid file', isStarted && error !== undefined ? detailOf(error) : null, file);
    };
    if (userFilesOf(settings)?.(file)) {
      const run = () =>
        isStarted ? shellAs(settings, writing, [umask, file, pid]) : shellAs(settings, removing, [file, pid]);
      queue(file, run, ended);
      return;
    }
    try {
      if (isStarted) withUmask(umask, () => write(file, `${pid}\n`));
      // After a reload, the file has the pid of the new process.
      else if (contains(file, `${pid}\n`)) rmSync(file);
      ended();
    } catch (error) {
      ended(error);
    }
  });
  return () => Promise.all(queues.values());
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK, O_NOCTTY } = constants;

/** O_NONBLOCK: without a reader, opening a FIFO fails instead of blocking the daemon. */
function write(file: string, text: string): void {
  const fd = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOCTTY, 0o666);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** Reads a regular file only, and no more than it needs: a device may have no end. */
function contains(file: string, text: string): boolean {
  const fd = openToRead(file);
  try {
    const bytes = Buffer.alloc(text.length + 1);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0)) === text;
  } finally {
    closeSync(fd);
  }
}

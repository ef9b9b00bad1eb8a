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

type Settings = Pick<AppSpec, 'pidFile' | 'uid' | 'gid' | 'umask'>;

export interface PidFileDeps {
  settingsOf(app: string): Settings | undefined;
  /** Tells which files the user of an app has to write itself (os/trust/trusted-path.ts). Undefined for none. */
  userFilesOf(settings: Settings): ((file: string) => boolean) | undefined;
  /** A file cannot be written. */
  failed(app: string, detail: string): void;
}

/** Renames, so that a reader never finds half of it, and a link is replaced rather than followed. */
const writing = 'umask "$1"; printf "%s\\n" "$3" >"$2.$$" && mv -f -- "$2.$$" "$2" || { rm -f -- "$2.$$"; exit 1; }';
const removing = '[ ! -f "$1" ] || [ "$(cat -- "$1")" != "$2" ] || rm -f -- "$1"';

/** The returned function resolves when all files are as they should be. */
export function keepPidFiles(
  events: EventBus,
  { settingsOf, userFilesOf, failed }: PidFileDeps,
): () => Promise<unknown> {
  /** What is under way as another user, by file: one after the other. */
  const queues = new Map<string, Promise<void>>();

  function queue(file: string, run: () => Promise<void>, onError: (error: unknown) => void): void {
    const after = queues.get(file) ?? Promise.resolve();
    const done: Promise<void> = after
      .then(run)
      .catch(onError)
      .then(() => void (queues.get(file) === done && queues.delete(file)));
    done.catch(throwUncaught);
    queues.set(file, done);
  }

  events.subscribe((event) => {
    if (event.type !== 'start' && event.type !== 'exit') return;
    const settings = settingsOf(event.app);
    if (settings?.pidFile === undefined) return;
    const { umask } = settings;
    const file = pidFileOf(settings.pidFile, event.slot);
    const isStarted = event.type === 'start';
    const pid = String(event.pid);
    const onError = (error: unknown) => {
      if (isStarted) failed(event.app, detailOf(error));
    };
    if (userFilesOf(settings)?.(file)) {
      const run = () =>
        isStarted ? shellAs(settings, writing, [umask, file, pid]) : shellAs(settings, removing, [file, pid]);
      queue(file, run, onError);
      return;
    }
    try {
      if (isStarted) withUmask(umask, () => write(file, `${pid}\n`));
      // After a reload, the file has the pid of the new process.
      else if (contains(file, `${pid}\n`)) rmSync(file);
    } catch (error) {
      onError(error);
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

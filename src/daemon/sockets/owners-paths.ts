// Unix sockets of apps of another user than the daemon's. A daemon of root does not bind or remove them itself: that user
// could swap a directory on the way for a link, and the socket would belong to root. A helper does, which is that user.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lchownSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { AppSpec } from '../../config/app-spec.ts';
import type { BindAddress } from '../../os/address.ts';
import { BindError, type Bound } from '../../os/sockets/handle.ts';
import type { Handle } from '../../os/sockets/node-handles.ts';
import { isForeign, isTrustedPath } from '../../os/trust/trusted-path.ts';
import { usualUmask } from '../../os/umask.ts';
import { findGroup, findUser } from '../../os/users.ts';
import { type FileIdentity, fileIdentityOf, parseAnswer, type SocketJob } from '../../privileges/socket-job.ts';
import { type Clock, realClock } from '../../shared/clock.ts';

/** The settings of an app, or of one of its processes, that decide who binds. */
export type SocketOwner = Pick<AppSpec, 'listen'> & Partial<Pick<AppSpec, 'uid' | 'gid' | 'umask'>>;

/** A socket that its user has bound. */
export interface OwnedSocket extends Bound {
  /** Removes its file. */
  remove(): void;
}

export type OwnersPaths = ReturnType<typeof createOwnersPaths>;

const root = 0;
/** Milliseconds for a helper, and for all of them when the daemon ends. The user may stop one, or have a file system that never answers. */
const timeout = 10_000;
/** Requests of one user that may wait. */
const mostWaiting = 100;

/** `program`: the bundle of `src/socket-helper`. */
export function createOwnersPaths(home: string, program: string, clock: Clock = realClock) {
  /** The last job of each user: one helper at a time, in order. */
  const tails = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, number>();

  function inTurn<T>(user: SocketJob, work: () => Promise<T>): Promise<T> {
    const key = `${user.uid}:${user.gid}`;
    waiting.set(key, (waiting.get(key) ?? 0) + 1);
    const job = (tails.get(key) ?? Promise.resolve()).then(work);
    const tail = job
      .catch(() => {})
      .then(() => {
        waiting.set(key, (waiting.get(key) ?? 1) - 1);
        if (tails.get(key) !== tail) return;
        tails.delete(key);
        waiting.delete(key);
      });
    tails.set(key, tail);
    return job;
  }

  function owned(bound: Bound, job: SocketJob, file: FileIdentity | undefined): OwnedSocket {
    // Failures end with the helper.
    const remove = () => void (file && inTurn(job, () => removeAs(program, { ...job, remove: file })));
    return { ...bound, remove };
  }

  return {
    /**
     * Whether the user of the app has to bind this place. The daemon binds all others: ports, abstract names, and paths
     * that `--listen` names if nobody but root can change what they lead to.
     */
    isUserPath({ kind, path }: BindAddress, owner: SocketOwner) {
      if (path === undefined || !isFileOfAnother({ kind, path }, owner)) return false;
      const isListed = owner.listen.some((address) => address.path === path);
      return !isListed || !isTrustedPath(path, { uid: root, home });
    },
    /**
     * Whether the daemon lends its rights to the app: for ports that need them, only if `--listen` names the port. All
     * else needs none, or is bound by the user of the app.
     */
    mayBind({ kind, port = 0 }: BindAddress, owner: SocketOwner) {
      if (kind === 'pipe' || port === 0 || !isAnothers(owner) || port >= firstFreePort()) return true;
      return owner.listen.some((address) => address.port === port);
    },
    /** Rejects with BindError. */
    async bind(path: string, owner: SocketOwner) {
      const job = jobFor(path, owner);
      if ((waiting.get(`${job.uid}:${job.gid}`) ?? 0) >= mostWaiting) throw new BindError(-constants.errno.ENOBUFS);
      const { handle, file } = await inTurn(job, () => bindAs(program, job));
      return owned({ handle, address: { transport: 'unix', path } }, job, file);
    },
    /** One that was bound before this daemon began. */
    known: (bound: Bound, path: string, owner: SocketOwner) => owned(bound, jobFor(path, owner), identityAt(path)),
    /** Gives a socket file that the daemon has bound to the user of the app, who may then change its mode. */
    present(place: BindAddress, owner: SocketOwner) {
      const { path = '' } = place;
      if (!isFileOfAnother(place, owner)) return;
      try {
        const { uid, gid } = jobFor(path, owner);
        lchownSync(path, uid, gid);
      } catch {
        // The file system has no owners. The socket works as it is.
      }
    },
    /** Resolves when no helper is at work, or after ten seconds: a user may stop each helper. */
    async settled() {
      let isLate = false;
      let cancel = () => {};
      const late = new Promise<void>((resolve) => {
        cancel = clock.after(timeout, () => {
          isLate = true;
          resolve();
        });
      });
      while (tails.size > 0 && !isLate) await Promise.race([Promise.all(tails.values()), late]);
      cancel();
    },
  };
}

function isFileOfAnother({ kind, path }: BindAddress, owner: SocketOwner): boolean {
  return kind === 'pipe' && path?.startsWith('/') === true && isAnothers(owner);
}

/** Only a daemon of root has rights that other users lack. */
function isAnothers(owner: SocketOwner): boolean {
  if (process.geteuid?.() !== root || !isForeign(owner)) return false;
  return owner.uid === undefined || findUser(owner.uid)?.uid !== root;
}

/** The first port that every user may bind: ip(7), ip_unprivileged_port_start. */
function firstFreePort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  } catch {
    return 1024;
  }
}

/** Throws BindError if there is no such user: nothing of it runs then. */
function jobFor(path: string, { uid, gid, umask = usualUmask }: SocketOwner): SocketJob {
  const user = uid === undefined ? undefined : findUser(uid);
  const group = gid === undefined ? user?.gid : findGroup(gid);
  if (!user || group === undefined) throw new BindError(-constants.errno.EPERM);
  return { uid: user.uid, gid: group, hasAccount: user.hasAccount, umask, path };
}

/** The helper compares it as that user, so it does not matter whose file it is by then. */
function identityAt(path: string): FileIdentity | undefined {
  try {
    return fileIdentityOf(path);
  } catch {
    return undefined;
  }
}

interface BoundFile {
  handle: Handle;
  file: FileIdentity;
}

/** Throws BindError. */
async function bindAs(program: string, job: Omit<SocketJob, 'remove'>): Promise<BoundFile> {
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
async function removeAs(program: string, job: SocketJob & Required<Pick<SocketJob, 'remove'>>): Promise<void> {
  await once(start(program, job), 'exit').catch(() => {});
}

/** In a session of its own: the signals of a terminal are not meant for it. It gets no variables of root's. */
function start(program: string, job: SocketJob): ChildProcess {
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', job.remove ? 'ignore' : 'ipc'],
  });
  const cancel = realClock.after(timeout, () => child.kill('SIGKILL'));
  child.on('error', cancel);
  child.once('exit', cancel);
  return child;
}

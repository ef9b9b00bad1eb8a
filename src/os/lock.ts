// Locks of one nsv home, which end with the process that holds them, however it ends.
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { errnoOf } from '../shared/errno.ts';
import { detailOf, failure } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { isAnswered, listenOn, listenPrivately, socketOf } from './socket-file.ts';

/**
 * `daemon`: its holder is the daemon of the home. `launch`: its holder is the one command that launches a daemon.
 * `formatter`: its holder reads the FIFOs of the home.
 */
export type LockName = 'daemon' | 'launch' | 'formatter';

export interface Lock {
  release(): void;
  /** Who is given it too holds the lock as well. */
  readonly socket: { readonly fd: number };
}

/** Undefined when another process holds the lock. A lock does not keep its holder's event loop alive. */
export function acquireLock(paths: HomePaths, name: LockName): Promise<Lock | undefined> {
  return process.platform === 'linux' ? listenAlone(abstractName(paths, name)) : acquireFileLock(paths, name);
}

/**
 * Where there are no abstract sockets: a socket file that somebody answers. A stale one is replaced, and there lies a
 * small window: of two processes that find the same stale file at the same moment, one could remove the other's new one.
 */
export async function acquireFileLock({ home }: HomePaths, name: LockName): Promise<Lock | undefined> {
  const file = join(home, `${name}.lock`);
  const lock = await listenAlone(file);
  if (lock || (await isAnswered(file))) return lock;
  rmSync(file, { force: true });
  return listenAlone(file);
}

/** The lock of a process that has given us its socket. */
export async function shareLock(fd: number): Promise<Lock> {
  const server = createHolder();
  await listenOn(server, fd);
  return lockOf(server);
}

async function listenAlone(address: string): Promise<Lock | undefined> {
  const server = createHolder();
  try {
    await listenPrivately(server, address);
  } catch (error) {
    if (errnoOf(error) === 'EADDRINUSE') return undefined;
    throw error;
  }
  return lockOf(server);
}

function createHolder(): Server {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  // A connection that could not be accepted, for want of descriptors, changes nothing about who holds the lock.
  server.on('error', () => undefined);
  return server;
}

function lockOf(server: Server): Lock {
  return { release: () => server.close(), socket: socketOf(server) };
}

/**
 * A name in Linux's abstract namespace, which the kernel frees when its holder dies, so it cannot be stale: unix(7).
 * Device and inode give a copied home a lock of its own. The name fills sun_path to the last byte, since libuv before
 * 1.49 (Node 20) pads a shorter one with NULs, and then Node 20 and 22 would each hold "the same" lock.
 */
function abstractName(paths: HomePaths, name: LockName): string {
  const { dev, ino } = statSync(paths.home);
  return `\0nsv-${name}-${dev}-${ino}-${identityOf(paths)}`.padEnd(108, '.').slice(0, 108);
}

/**
 * Other users cannot occupy a name in advance that they cannot guess. One that a power cut has damaged is made anew: it is in
 * the environment of all that is started, which takes no zero bytes.
 */
function identityOf({ identity }: HomePaths): string {
  const known = contentOf(identity);
  if (known !== undefined && /^[\w-]+$/.test(known)) return known;
  if (known !== undefined) rmSync(identity, { force: true });
  createIdentity(identity);
  return readFileSync(identity, 'utf8');
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

/** The file appears with its whole content, and the first of many processes makes it: link(2) does not replace. */
function createIdentity(file: string): void {
  const id = crypto.randomUUID();
  const draft = `${file}.${id}`;
  try {
    writeFileSync(draft, id, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, file);
  } catch (cause) {
    if (errnoOf(cause) !== 'EEXIST') throw failure('CANNOT_WRITE', { file, detail: detailOf(cause) }, { cause });
  } finally {
    rmSync(draft, { force: true });
  }
}

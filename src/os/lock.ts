// Locks of an nsv home. A lock is released when the process that holds it ends, for whatever reason.
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { errnoOf } from '../shared/errno.ts';
import { detailOf, failure } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { isAnswered, listenOn, listenPrivately, socketOf } from './socket-file.ts';

/**
 * `daemon` is held by the daemon of the home, `launch` by the one command that is launching a daemon, and `formatter`
 * by the process that reads the FIFOs of the home.
 */
export type LockName = 'daemon' | 'launch' | 'formatter';

export interface Lock {
  release(): void;
  /** A process that receives this socket holds the lock too. */
  readonly socket: { readonly fd: number };
}

/** Resolves to undefined if another process holds the lock. Holding a lock does not keep the event loop alive. */
export function acquireLock(paths: HomePaths, name: LockName): Promise<Lock | undefined> {
  return process.platform === 'linux' ? listenAlone(abstractName(paths, name)) : acquireFileLock(paths, name);
}

/**
 * Used where there are no abstract sockets: the lock is a socket file on which a process listens. A stale file is
 * replaced. This leaves a small race: if two processes find the same stale file at the same moment, one can remove the
 * other's new file.
 */
export async function acquireFileLock({ home }: HomePaths, name: LockName): Promise<Lock | undefined> {
  const file = join(home, `${name}.lock`);
  const lock = await listenAlone(file);
  if (lock || (await isAnswered(file))) return lock;
  rmSync(file, { force: true });
  return listenAlone(file);
}

/** Joins a lock whose holder has passed its socket to this process. */
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
  // Failing to accept a connection (out of descriptors) does not release the lock.
  server.on('error', () => undefined);
  return server;
}

function lockOf(server: Server): Lock {
  return { release: () => server.close(), socket: socketOf(server) };
}

/**
 * A name in Linux's abstract namespace: the kernel frees it when the holder dies, so it is never stale (unix(7)).
 * Device and inode give a copied home a lock of its own. The name fills sun_path to the last byte because libuv before
 * 1.49 (Node 20) pads shorter names with NULs, so Node 20 and Node 22 could hold the same lock at once.
 */
function abstractName(paths: HomePaths, name: LockName): string {
  const { dev, ino } = statSync(paths.home);
  return `\0nsv-${name}-${dev}-${ino}-${identityOf(paths)}`.padEnd(108, '.').slice(0, 108);
}

/**
 * A random ID makes the name unguessable, so other users cannot occupy it in advance. A file damaged by a power cut is
 * replaced: the ID is part of the environment of all child processes, which must not contain zero bytes.
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

/** Creates the file with its whole content. If several processes try, the first wins: link(2) does not replace. */
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

// Locks of an nsv home. A lock is released when the process that holds it ends, for whatever reason.
//
// Its holder has a numbered claim (claims.ts), which names a Unix socket beside it on which the holder listens. Only
// the kernel can tell that a process is dead, and it tells by refusing connections: across pid and network namespaces,
// and without /proc. All of it lies in the home, so no other user can take a lock, or keep it from being taken.
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { errnoOf } from '../../shared/errno.ts';
import { failure } from '../../shared/errors.ts';
import type { HomePaths } from '../../shared/paths.ts';
import { isAnswered, listenOn, listenPrivately } from '../socket-file.ts';
import { rawHandle } from '../sockets/node-handles.ts';
import { guardAbove } from '../terminate.ts';
import { type ClaimFile, Claims } from './claims.ts';
import { holderHere, holderPlaceOf, type LockHolder, parseHolder, renderHolder } from './holder.ts';

/**
 * `daemon` is held by the daemon of the home, `launch` by the one command that is launching a daemon, and `formatter`
 * by the process that reads the FIFOs of the home.
 */
export type LockName = 'daemon' | 'launch' | 'formatter';

export interface Lock {
  release(): void;
  /** A process that receives this socket can hold the lock too (`shareLock`). */
  readonly socket: { readonly fd: number };
}

/**
 * Resolves to undefined if another process holds the lock. Holding a lock does not keep the event loop alive. Rejects
 * with HOME_ON_OTHER_MACHINE if a daemon on another machine holds the lock `daemon`, and with CANNOT_WRITE.
 */
export async function acquireLock(paths: HomePaths, name: LockName): Promise<Lock | undefined> {
  const claims = claimsOf(paths, name);
  // Most of the time the lock is taken or free, and this tells without creating anything.
  if (await isHeld(paths, name, claims.last())) return undefined;
  const server = createHolder();
  const socket = await listenBeside(paths, claims, server);
  const text = renderHolder(holderHere(socket, guardAbove()));
  for (;;) {
    const last = claims.last();
    if (await isHeld(paths, name, last)) {
      server.close();
      return undefined;
    }
    if (!claims.follow(last, text)) continue;
    if (last) removeSocket(paths, last);
    return lockOf(paths, claims, server);
  }
}

/** Joins the lock `daemon`, whose holder has passed its socket to this process. */
export async function shareLock(paths: HomePaths, fd: number): Promise<Lock> {
  const server = createHolder();
  await listenOn(server, fd);
  const claims = claimsOf(paths, 'daemon');
  const last = claims.last();
  const holder = last && parseHolder(last.text);
  // Nobody else can make a claim now, as the previous holder is alive.
  if (last && holder) claims.follow(last, renderHolder(holderHere(holder.socket, guardAbove())));
  return lockOf(paths, claims, server);
}

/** The process that holds a lock, or held it when it died. Undefined if the lock was released. */
export function lastHolder(paths: HomePaths, name: LockName): LockHolder | undefined {
  const last = claimsOf(paths, name).last();
  return last && parseHolder(last.text);
}

/** The text of a claim whose holder has released it. */
const released = 'released';

function claimsOf({ locks }: HomePaths, name: LockName): Claims {
  return new Claims(locks, name);
}

async function isHeld(paths: HomePaths, name: LockName, claim: ClaimFile | undefined): Promise<boolean> {
  const holder = claim && parseHolder(claim.text);
  if (!claim || !holder) return false;
  const place = holderPlaceOf(holder);
  if (place === 'here') return isAnswered(join(paths.locks, holder.socket));
  // A command that was launching a daemon there has launched it by now, or failed to.
  if (place === 'before' || name !== 'daemon') return false;
  const { home } = paths;
  throw failure('HOME_ON_OTHER_MACHINE', { home, host: holder.host, file: claimsOf(paths, name).fileOf(claim) });
}

/** Listens on a new socket in the directory of the locks, and returns its name. */
async function listenBeside(paths: HomePaths, claims: Claims, server: Server): Promise<string> {
  claims.prepare();
  for (;;) {
    const name = `${Math.random().toString(36).slice(2, 6)}.sock`;
    try {
      await listenPrivately(server, join(paths.locks, name));
      return name;
    } catch (error) {
      if (errnoOf(error) !== 'EADDRINUSE') throw error;
    }
  }
}

function createHolder(): Server {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  // Failing to accept a connection (out of descriptors) does not release the lock.
  server.on('error', () => undefined);
  return server;
}

function lockOf(paths: HomePaths, claims: Claims, server: Server): Lock {
  return {
    release() {
      const last = claims.last();
      try {
        if (claims.follow(last, released) && last) removeSocket(paths, last);
      } catch {
        // On a full disk, for example. The next process finds that nobody listens.
      }
      server.close();
    },
    socket: rawHandle(server),
  };
}

function removeSocket({ locks }: HomePaths, { text }: ClaimFile): void {
  const holder = parseHolder(text);
  if (holder) rmSync(join(locks, holder.socket), { force: true });
}

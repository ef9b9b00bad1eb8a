// A separate program, started by a daemon of root for an app of another user: it becomes that user, then binds one Unix
// socket and sends it to the daemon, or removes one.
//
// It drops its rights here, and not before it is executed: a process that has changed its user is not dumpable until it
// executes another program (prctl(2), PR_SET_DUMPABLE), so no other process of that user can trace it and send
// something else over its channel. A descriptor of a regular file would abort the daemon.
import { lstatSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { constants } from 'node:os';
import type { BindAddress } from '../os/address.ts';
import { BindError, bindServer } from '../os/sockets/handle.ts';
import type { Handle } from '../os/sockets/node-handles.ts';
import { type FileIdentity, fileIdentityOf, type SocketAnswer, type SocketJob } from '../privileges/socket-job.ts';
import { errnoOf } from '../shared/errno.ts';

/** The types of Node lack it: https://nodejs.org/api/process.html#processinitgroupsuser-extragroup */
const { initgroups } = process as typeof process & { initgroups(user: number, extraGroup: number): void };
const job = JSON.parse(process.argv[2] ?? '') as SocketJob;
become(job);
if (job.remove) removeSocket(job.path, job.remove);
else void bindSocket(job); // It answers in any case.

function become({ uid, gid, hasAccount }: SocketJob): void {
  if (hasAccount) initgroups(uid, gid);
  else process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/** Then the daemon kills this process: one that ends by itself may close the socket, and libuv then removes its file. */
async function bindSocket({ path, umask }: SocketJob): Promise<void> {
  try {
    const handle = await bound({ kind: 'pipe', path, umask }, path);
    const file = fileIdentityOf(path);
    // The daemon has died, or no longer waits: nobody would serve the socket.
    process.on('disconnect', () => {
      removeSocket(path, file);
      process.exit(0);
    });
    answer({ type: 'bound', file }, handle);
  } catch (error) {
    answer({ type: 'failed', errno: error instanceof BindError ? error.errno : -constants.errno.EIO });
  }
}

/** Replaces a socket that nobody serves: a daemon that died has left it. */
async function bound(place: BindAddress, path: string): Promise<Handle> {
  try {
    return bindServer(place).handle;
  } catch (error) {
    if (!(error instanceof BindError) || error.code !== 'EADDRINUSE' || !lstatSync(path).isSocket()) throw error;
    const file = fileIdentityOf(path);
    if (await isServed(path)) throw error;
    removeSocket(path, file);
    return bindServer(place).handle;
  }
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', (error) => resolve(errnoOf(error) !== 'ECONNREFUSED'));
  });
}

function answer(message: SocketAnswer, handle?: unknown): void {
  // Node can send bare handles as well as the objects it makes of them, but its types know only the latter.
  (process.send as (message: SocketAnswer, handle?: unknown) => void)(message, handle);
}

/** Removes the file only if it is still the socket, and not what somebody has put in its place. */
function removeSocket(path: string, file: FileIdentity): void {
  try {
    const { dev, ino } = fileIdentityOf(path);
    if (dev === file.dev && ino === file.ino) unlinkSync(path);
  } catch {
    // It is gone, or the user may not remove it.
  }
}

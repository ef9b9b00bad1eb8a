// Prepares a socket for programs that inherit descriptors: LISTEN state and blocking, as in sd_listen_fds(3).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { BindError, type Handle } from '../../os/handle.ts';

/** Runs `activate.ts`, bundled as `program`, on the socket. Throws BindError. */
export async function activate(handle: Handle, program: string): Promise<void> {
  const child = spawn(process.execPath, [program], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', handle.fd],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new BindError(-(code ?? constants.errno.EINTR));
  handle.setBlocking?.(true);
}

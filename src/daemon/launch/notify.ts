// Notifies systemd about a service of Type=notify: sd_notify(3).
import { spawn } from 'node:child_process';

/**
 * Returns what sends assignments such as `READY=1`, and resolves when systemd was notified, or notifying it failed. `socket`:
 * systemd's socket; without it, nothing is sent. `failed` is called with the error.
 */
export function createNotify(
  socket: string | undefined,
  failed: (detail: string) => void,
): (...words: string[]) => Promise<void> {
  if (!socket) return async () => {};
  // The socket takes datagrams, which Node cannot send to a Unix socket.
  return (...words) =>
    new Promise((resolve) => {
      const env = { PATH: process.env.PATH, NOTIFY_SOCKET: socket };
      const child = spawn('systemd-notify', words, { env, stdio: 'ignore' });
      child.on('error', ({ message }) => {
        failed(message);
        resolve();
      });
      child.on('exit', (code, signal) => {
        if (code !== 0) failed(`systemd-notify ended with ${signal ?? `exit code ${code}`}`);
        resolve();
      });
    });
}

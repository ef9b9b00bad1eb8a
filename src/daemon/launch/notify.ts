// What systemd wants to know of a service of Type=notify: sd_notify(3).
import { spawn } from 'node:child_process';

/** Each word is an assignment such as `READY=1`. Resolves when systemd has been told, or cannot be. */
export type Notify = (...words: string[]) => Promise<void>;

/** `socket`: where systemd listens; without it nobody wants to know. `failed` is told what went wrong. */
export function createNotify(socket: string | undefined, failed: (detail: string) => void): Notify {
  if (!socket) return async () => {};
  // It takes datagrams, which Node cannot send to a Unix socket.
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

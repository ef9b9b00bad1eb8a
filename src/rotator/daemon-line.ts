// The line to the daemon: standard input and output, as the daemon opens no channel of Node's to a process of another user.
import { LineReader, renderLine } from '../ipc/frame.ts';
import { defaultLimits } from '../ipc/limits.ts';
import type { RotationJob, RotationReport } from '../ipc/rotator-messages.ts';

export interface DaemonLine {
  readonly isOpen: boolean;
  send(report: RotationReport): void;
  close(): void;
}

/** Calls `job` for each job, and `gone` when the daemon has closed the line. */
export function openLine(job: (job: RotationJob) => void, gone: () => void): DaemonLine {
  const reader = new LineReader(defaultLimits.message);
  let isOpen = true;
  process.stdin.on('data', (chunk: Buffer) => {
    for (const line of reader.read(chunk)) job(JSON.parse(line) as RotationJob);
  });
  process.stdin.on('end', () => {
    isOpen = false;
    gone();
  });
  for (const stream of [process.stdin, process.stdout]) stream.on('error', () => {});
  return {
    get isOpen() {
      return isOpen;
    },
    send: (report) => void process.stdout.write(renderLine(report)),
    close() {
      isOpen = false;
      process.stdin.destroy();
    },
  };
}

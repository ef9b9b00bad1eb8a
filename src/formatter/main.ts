// The formatter of a home: reads the output of apps from FIFOs and writes it to their logs in the configured format. It
// is a separate process, so that no log data passes through the daemon, and either can die without affecting the other.
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { FromFormatter, ToFormatter } from '../ipc/formatter-messages.ts';
import { LineReader, renderLine } from '../ipc/frame.ts';
import { defaultLimits } from '../ipc/limits.ts';
import { acquireLock } from '../os/lock/lock.ts';
import { listenPrivately } from '../os/socket-file.ts';
import { realClock as clock } from '../shared/clock.ts';
import { homePaths } from '../shared/paths.ts';
import { Formatter } from './formatter.ts';
import { Records } from './records.ts';

/** Milliseconds without anything to read before it exits: an app restarted by hand is soon back. */
const idleTime = 10_000;
/** Milliseconds for which an ending daemon waits for the formatter to exit: it soon sees that the apps are gone. */
const closeDelay = 200;

const paths = homePaths();

async function main(): Promise<void> {
  const lock = await acquireLock(paths, 'formatter');
  // Another formatter serves this home: the daemon will connect to that one.
  if (!lock) return;
  // It exits when no process writes any more: a signal sent to all processes must not lose the last output of the apps.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {});
  process.umask(0o022);
  mkdirSync(paths.fifos, { recursive: true, mode: 0o700 });
  let daemon: Socket | undefined;
  let isWithoutDaemon = false;
  let cancelEnd = () => {};

  function send(message: FromFormatter): void {
    daemon?.write(renderLine(message));
  }

  function changed(): void {
    cancelEnd();
    cancelEnd = formatter.isIdle ? clock.after(isWithoutDaemon ? 0 : idleTime, end) : () => {};
  }

  function end(): void {
    rmSync(paths.formatter, { force: true });
    process.exit(0);
  }

  /** The daemon is ending, or has ended. Another one may be connected already. */
  function left(socket: Socket): void {
    if (daemon !== socket) return;
    daemon = undefined;
    isWithoutDaemon = true;
    changed();
    clock.after(closeDelay, () => socket.end());
  }

  function serve(socket: Socket): void {
    daemon = socket;
    isWithoutDaemon = false;
    changed();
    const reader = new LineReader(defaultLimits.message);
    socket.on('data', (chunk) => {
      for (const line of reader.read(chunk)) formatter.onMessage(JSON.parse(line) as ToFormatter);
    });
    socket.on('error', () => {});
    socket.on('end', () => left(socket));
    socket.on('close', () => left(socket));
  }

  const formatter = new Formatter({ records: new Records(paths.fifos), clock, send, changed });
  formatter.restore();
  changed();
  rmSync(paths.formatter, { force: true });
  await listenPrivately(createServer({ allowHalfOpen: true }, serve), paths.formatter);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});

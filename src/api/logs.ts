// The lines of `nsv logs --json`, read from that command: what reads, merges and follows files is its own, and a program that never asks
// for logs loads none of it.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { spawnChild } from '../os/spawn-child.ts';
import { NsvError } from '../shared/errors.ts';
import { installed } from '../shared/paths.ts';
import type { LoggedLine, LogsOptions } from './nsv.ts';

type Child = ReturnType<typeof start>;

interface Reading extends Omit<LogsOptions, 'targets'> {
  targets: readonly string[];
  home: string;
  env: Readonly<Record<string, string>>;
}

/** The readings of one program. */
export function createReadings() {
  const running = new Set<Child>();
  return {
    begin(reading: Reading): AsyncIterableIterator<LoggedLine> {
      const { signal } = reading;
      signal?.throwIfAborted();
      const child = start(reading);
      const end = () => void child.kill();
      running.add(child);
      child.once('exit', () => {
        running.delete(child);
        signal?.removeEventListener('abort', end);
      });
      signal?.addEventListener('abort', end);
      return linesOf(child, signal);
    },
    end() {
      for (const child of running) child.kill();
    },
  };
}

function start({ targets, home, env, lines, since, stream, follow = true }: Reading) {
  const flags = [
    ...(lines === undefined ? [] : [`--lines=${lines}`]),
    ...(since === undefined ? [] : [`--since=${since}`]),
    ...(stream === undefined ? [] : [`--${stream}`]),
    ...(follow ? [] : ['--nostream']),
  ];
  // Options for the Node of the program, such as a debugger's port, are not meant for this one.
  const own = { ...env, NSV_HOME: home, NODE_OPTIONS: '' };
  const words = [installed.commandLine, 'logs', '--json', ...flags, ...targets];
  return spawnChild(process.execPath, words, { env: own, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function* linesOf(child: Child, signal: AbortSignal | undefined): AsyncGenerator<LoggedLine, undefined> {
  const ended = Promise.all([text(child.stderr!), once(child, 'exit')]);
  ended.catch(() => {});
  try {
    for await (const line of createInterface({ input: child.stdout! })) yield JSON.parse(line) as LoggedLine;
    const [problem, [code]] = await ended;
    signal?.throwIfAborted();
    const reported = problem.split('\n').find((line) => line.startsWith('{"error":'));
    if (code !== 0 && reported) throw new NsvError(JSON.parse(reported).error);
  } finally {
    child.kill();
  }
}

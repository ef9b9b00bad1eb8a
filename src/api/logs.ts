// The lines of `nsv logs --json`, read from that command: what reads, merges and follows files is its own, and a program that never asks
// for logs loads none of it.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { spawnChild } from '../os/spawn-child.ts';
import { failure, NsvError } from '../shared/errors.ts';
import { inputOfReader, installed } from '../shared/paths.ts';
import type { LoggedLine, LogsOptions } from './nsv.ts';

interface Reading extends Omit<LogsOptions, 'targets'> {
  targets: readonly string[];
  home: string;
  env: Readonly<Record<string, string>>;
}

/** The readings of one program. The command is started with the first `next`, and ended by `return`, the signal, or `end`. */
export function createReadings() {
  const running = new Set<() => void>();
  return {
    begin(reading: Reading): AsyncIterableIterator<LoggedLine> {
      const { signal } = reading;
      let end = () => {};
      const lines = linesOf(() => {
        signal?.throwIfAborted();
        const child = start(reading);
        end = () => void child.kill();
        running.add(end);
        signal?.addEventListener('abort', end);
        child.once('exit', () => {
          running.delete(end);
          signal?.removeEventListener('abort', end);
        });
        return child;
      }, signal);
      return {
        next: () => lines.next(),
        /** A generator would first wait for the next line. */
        return() {
          end();
          return lines.return(undefined);
        },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
    },
    end() {
      for (const end of running) end();
    },
  };
}

function start({ targets, home, env, lines, since, stream, follow = true }: Reading) {
  if (stream !== undefined && stream !== 'out' && stream !== 'err')
    throw failure('BAD_USAGE', { detail: `stream must be "out" or "err", not ${JSON.stringify(stream)}` });
  const flags = [
    ...(lines === undefined ? [] : [`--lines=${lines}`]),
    ...(since === undefined ? [] : [`--since=${since instanceof Date ? since.toISOString() : since}`]),
    ...(stream === undefined ? [] : [`--${stream}`]),
    ...(follow ? [] : ['--nostream']),
  ];
  // Options for the Node of the program, such as a debugger's port, are not meant for this one, which ends with its input.
  const own = { ...env, NSV_HOME: home, NODE_OPTIONS: '', [inputOfReader]: '1' };
  const words = [installed.commandLine, 'logs', '--json', ...flags, '--', ...targets];
  return spawnChild(process.execPath, words, { env: own, stdio: 'pipe' });
}

async function* linesOf(
  begin: () => ReturnType<typeof start>,
  signal: AbortSignal | undefined,
): AsyncGenerator<LoggedLine, undefined> {
  const child = begin();
  const ended = Promise.all([text(child.stderr), once(child, 'exit')]);
  ended.catch(() => {});
  try {
    let rest = '';
    // Not with node:readline, for which a line also ends at U+2028. The end of one that was cut short is left out.
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as LoggedLine;
    }
    const [problem, [code]] = await ended;
    signal?.throwIfAborted();
    const reported = problem.split('\n').find((line) => line.startsWith('{"error":'));
    if (code !== 0 && reported) throw new NsvError(JSON.parse(reported).error);
  } finally {
    child.kill();
  }
}

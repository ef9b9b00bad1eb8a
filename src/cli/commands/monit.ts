import { loadProgram } from '../../client/program-bundle.ts';
import type { Logs } from '../../monit/logs.ts';
import { failure } from '../../shared/errors.ts';
import { installed } from '../../shared/paths.ts';
import { type Command, someTargetsArgument } from '../command.ts';
import { logSources } from '../logs/sources.ts';
import { createLogStream } from '../logs/stream.ts';

/** Lines that are shown of what each log had before. */
const past = { lines: 100, linesUntimed: 100, since: undefined };

const logs: Logs = {
  sourcesOf: (processes) => logSources(processes, ['out', 'err']),
  open: (sink) => createLogStream(past, sink),
};

export const monit: Command = {
  summary: 'shows processes, what they use and their logs on one screen, and takes orders by keys',
  notes: `Keys: up and down select, Tab shows the logs of all or of one, PgUp and PgDn scroll them, r restarts, l reloads, s stops
or starts, each after a question; ? shows all keys, q and Ctrl-C end it (exit code 0). More in docs/monit.md.

It asks the daemon for the list each second, and reads the logs itself.`,
  arguments: [someTargetsArgument],
  examples: [
    ['nsv monit', 'everything'],
    ['nsv monit web', 'the instances of one app'],
  ],
  async run({ out, open }, { words }) {
    if (!out.terminal.tty) throw failure('NO_TERMINAL', { stream: 'standard output' });
    if (!process.stdin.isTTY) throw failure('NO_TERMINAL', { stream: 'standard input' });
    const { colour } = out.terminal;
    await loadProgram<typeof import('../../monit/main.ts')>(installed.monit).showMonitor({
      targets: words,
      open,
      colour,
      logs,
    });
  },
};

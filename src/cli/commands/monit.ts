import { loadProgram } from '../../client/program-bundle.ts';
import type { Logs } from '../../monit/watch.ts';
import { failure } from '../../shared/errors.ts';
import { installed } from '../../shared/paths.ts';
import { type Command, someTargetsArgument } from '../command.ts';
import { logSources } from '../logs/sources.ts';
import { createLogStream } from '../logs/stream.ts';

/** How many existing lines of each log are shown. */
const past = { lines: 100, linesUntimed: 100, since: undefined };

const logs: Logs = {
  sourcesOf: (processes) => logSources(processes, ['out', 'err']),
  open: (sink) => createLogStream(past, sink),
};

export const monit: Command = {
  summary: 'interactive dashboard: processes, CPU, memory and logs',
  notes: `Keys: up and down select a process. Tab switches between the logs of all processes and of the selected one; PgUp and PgDn scroll
them. r restarts, l reloads, s stops or starts the selected process, after a confirmation. ? shows all keys. q and Ctrl-C quit (exit
code 0); the apps keep running.

The list is refreshed every second.`,
  arguments: [someTargetsArgument],
  examples: [
    ['nsv monit', 'all processes'],
    ['nsv monit web', 'the instances of one app'],
  ],
  async run({ out, open }, { words }) {
    if (!out.terminal.tty) throw failure('NO_TERMINAL', { stream: 'standard output' });
    if (!process.stdin.isTTY) throw failure('NO_TERMINAL', { stream: 'standard input' });
    const { showMonitor } = loadProgram<typeof import('../../monit/main.ts')>(installed.monit);
    await showMonitor({ targets: words, open, colour: out.terminal.colour, logs });
  },
};

import { createRequire } from 'node:module';
import { failure } from '../../shared/errors.ts';
import { installed } from '../../shared/paths.ts';
import type { Command } from '../command.ts';

export const daemon: Command = {
  summary: 'is the daemon itself, in the foreground: for systemd and its like',
  notes: `What the files of "nsv startup" run; elsewhere nsv launches its daemon by itself. Unlike "nsv run" it serves the nsv home
for all that commands start. It goes on where a daemon that died has ended; else it starts what was saved.

SIGTERM and SIGINT stop all apps and end it with 0, SIGHUP reloads what runs. If it dies itself, the apps go on, and the next
one takes them over. More in docs/startup.md.`,
  options: [['--foreground', 'required: it stays in the foreground, and no guard looks after it']],
  examples: [['nsv daemon --foreground', 'in a unit of a supervisor']],
  async run(_context, { options }) {
    if (!options.foreground) {
      const detail = 'cannot run "nsv daemon": nsv launches its daemon by itself; in a unit, say --foreground';
      throw failure('BAD_USAGE', { detail });
    }
    // By path: it brings the whole daemon along. It ends the process by itself.
    createRequire(installed.daemon)(installed.daemon);
    await new Promise(() => {});
  },
};

import { createRequire } from 'node:module';
import { rootsForDaemon } from '../../client/daemon-launch.ts';
import { prepareHome } from '../../os/trust/home.ts';
import { failure } from '../../shared/errors.ts';
import { homePaths, programsIn } from '../../shared/paths.ts';
import type { Command } from '../command.ts';

export const daemon: Command = {
  summary: 'runs the daemon in the foreground, for systemd and the like',
  notes: `The service files written by "nsv startup" run this command; otherwise nsv launches its daemon by itself. Unlike "nsv run", it
serves all nsv commands that use the same nsv home. After a crash of the previous daemon it adopts the apps that are still running;
otherwise it starts the saved apps.

SIGTERM and SIGINT stop all apps, then the daemon exits with code 0. SIGHUP reloads all running apps. If the daemon crashes, the apps
keep running, and the next daemon adopts them.`,
  options: [['--foreground', 'required: stay in the foreground, without a guard process that restarts it']],
  examples: [['nsv daemon --foreground', 'in a service file']],
  async run({ out }, { options }) {
    if (!options.foreground) {
      const detail =
        '"nsv daemon" needs --foreground: it is for service files, and nsv launches its own daemon when it needs one';
      throw failure('BAD_USAGE', { detail });
    }
    // Loaded by path only here, because it is the whole daemon. It exits the process itself.
    const paths = homePaths();
    prepareHome(paths);
    const { root, own } = rootsForDaemon(paths);
    if (root !== own)
      out.note(`nsv: this daemon runs from ${root}, as the one that died did; run "nsv update" to replace it`);
    const program = programsIn(root).daemon;
    createRequire(program)(program);
    await new Promise(() => {});
  },
};

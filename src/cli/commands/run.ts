import { runInForeground } from '../../run/main.ts';
import { configOptions } from '../args/config-word.ts';
import { settingRows } from '../args/settings.ts';
import type { Command } from '../command.ts';
import { runOptions, runPlan } from '../plans/run-plan.ts';

export const run: Command = {
  summary: 'runs apps in the foreground, in a container or a terminal',
  notes: `With a config file, all its apps are run, dependencies first. Without arguments, the config file in this directory is used.

Apps named before -- are restarted as by "nsv start", until they exit with 0 (--stop-exit-codes) or nsv gives up. A program after
-- runs once. nsv exits when the apps have exited (--exit-on), with their exit code: 128 plus the signal number for an app that was
killed by a signal, 126 or 127 for one that could not be executed, and never 0 when nsv gave up. Processes that an app left behind
are stopped first.

Output is passed through unchanged. A single process also gets the standard input. SIGTERM and SIGINT stop all apps at the same
time; a second SIGINT kills them. SIGHUP reloads the apps. Most other signals are forwarded to the apps.`,
  arguments: [['[what...]', 'files, programs, quoted command lines, or a config file']],
  options: [
    ...settingRows({ outFile: 'that of nsv', errorFile: 'that of nsv', stopExitCodes: '0' }),
    ...configOptions,
    ...runOptions,
  ],
  examples: [
    ['nsv run app.js -i max', 'one process per available CPU'],
    ['nsv run web.js worker.js --exit-on any', 'exit when one of them exits'],
    ['nsv run nsv.config.js --only web,db', 'two apps of a config file'],
    ['nsv run -- python3 -m http.server', 'run any program once'],
    ['nsv run --rewrite TERM:QUIT -- nginx', 'send SIGQUIT to nginx on SIGTERM'],
    ['nsv run app.js --stop-timeout 25s', 'fit the 30 s of Kubernetes'],
  ],
  async run(context, input) {
    await runInForeground(await runPlan(context, input));
  },
};

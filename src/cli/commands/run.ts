import { loadProgram, rethrow } from '../../client/program-bundle.ts';
import { installed } from '../../shared/paths.ts';
import { configOptions } from '../args/config-word.ts';
import { runOptions } from '../args/run-options.ts';
import { settingRows } from '../args/settings.ts';
import type { Command } from '../command.ts';
import { runPlan } from '../plans/run-plan.ts';

export const run: Command = {
  summary: 'runs programs in the foreground, as process 1 of a container or in a terminal',
  notes: `Of a config file all apps are run, those first that others depend on; without any word, that of the directory.

An app that is named before -- is kept running as by "nsv start", until it ends with 0 (--stop-exit-codes) or
nsv gives up. A program behind a bare -- runs once. In both cases nsv ends when the apps have ended (--exit-on), with
their exit code: 128 and the number of the signal that ended an app, 126 or 127 when it could not be executed, never 0
when nsv gave up on it. Whatever an app leaves behind is ended first.

Output is passed on as it is; input goes to the app where it is only one process. SIGTERM and SIGINT stop all apps at
the same time, a second one kills; SIGHUP reloads; most others go to the apps. More in docs/run.md.`,
  arguments: [['[what...]', 'files, programs, quoted command lines, or a config file']],
  options: [
    ...settingRows({ outFile: 'that of nsv', errorFile: 'that of nsv', stopExitCodes: '0' }),
    ...configOptions,
    ...runOptions,
  ],
  examples: [
    ['nsv run app.js -i max', 'a process for each CPU it may use'],
    ['nsv run web.js worker.js --exit-on any', 'until one of them has ended'],
    ['nsv run nsv.config.js --only web,db', 'two apps of a config file'],
    ['nsv run -- python3 -m http.server', 'any program, once'],
    ['nsv run --rewrite TERM:QUIT -- nginx', 'SIGTERM asks nginx by SIGQUIT'],
    ['nsv run app.js --stop-timeout 25s', 'within the 30 s of Kubernetes'],
  ],
  async run(context, input) {
    const request = await runPlan(context, input);
    // It brings the whole daemon along.
    const program = loadProgram<typeof import('../../run/main.ts')>(installed.run);
    await program.runInForeground(request).catch(rethrow);
  },
};

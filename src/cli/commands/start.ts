import { withoutDefaults } from '../../config/app-spec.ts';
import type { Client } from '../../ipc/protocol.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { configOptions, configWordOrDefault } from '../args/config-word.ts';
import { settingOptions } from '../args/settings.ts';
import { renewedEnv, updateEnvOption } from '../args/update-env.ts';
import { type Command, type Context, type Input, jsonOption } from '../command.ts';
import { startConfig } from '../plans/config-files/bring-up.ts';
import { planStart, type StartStep, startRequestOf } from '../plans/start-plan.ts';
import { printProcesses } from '../print.ts';

export const start: Command = {
  summary: 'starts programs, or stopped apps again; returns when they are ready',
  notes: `Of a config file (nsv.config.js, ecosystem.config.js, any .json or .yaml, or - for standard input) all apps are started,
those first that others depend on; without any word, that of the directory. Options are over what it says.

Each word is looked up in this order: a file of that name; an app that the daemon knows (name, id, namespace,
"all", /regex/), which is started again with the settings it has; a program on the PATH, or a quoted command line.
What follows -- goes to the new programs as their arguments. Nothing is started if one of the words is wrong.

Launches the daemon if none is running. When an app does not become ready, the last lines of its error log are
printed, and the exit code is 6; the app stays in the list.`,
  arguments: [['[what...]', 'files, programs, quoted command lines, known apps, or a config file']],
  options: [
    ...settingOptions,
    ['--no-wait', 'return as soon as the processes run, ready or not'],
    ...configOptions,
    ['-f, --force', 'replace a running app of the same name; restart a known one'],
    updateEnvOption,
    jsonOption,
  ],
  examples: [
    ['nsv start app.js -i 4', 'four processes that share their ports'],
    ['nsv start app.js -i -1 --name web', 'one process for each CPU but one'],
    ['nsv start api.py --listen 8080 -- -v', 'nsv binds the port; -v is for it'],
    ['nsv start "npm run dev" --watch', 'a command line, again when files change'],
    ['nsv start web', 'an app that was stopped'],
    ['nsv start nsv.config.js', 'all apps of a config file'],
  ],
  async run(context, input) {
    const request = startRequestOf(input);
    const config = configWordOrDefault(context, request, input);
    if (config !== undefined) return startConfig(context, config, input, request.settings);
    const steps = await planStart(context, request, input.options);
    const client = await context.connect({ launch: true });
    const started: ProcessView[] = [];
    for (const step of steps) started.push(...(await perform(step, client, context, input.options)));
    await printProcesses(context.out, started);
  },
};

function perform(step: StartStep, client: Client, context: Context, options: Input['options']): Promise<ProcessView[]> {
  const wait = options.wait !== false;
  if (step.kind === 'new')
    return client.launch({ app: withoutDefaults(step.app), wait, force: options.force === true, active: true });
  const known = { targets: [step.target], ...renewedEnv(context, options) };
  return step.isRunning ? client.restart(known) : client.start({ ...known, wait });
}

import { withoutDefaults } from '../../config/app-spec.ts';
import type { Client } from '../../ipc/protocol.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { configOptions, configWordOrDefault } from '../args/config-word.ts';
import { settingOptions } from '../args/settings.ts';
import { renewedEnv, updateEnvOption } from '../args/update-env.ts';
import { type Command, type Context, type Input, jsonOption } from '../command.ts';
import { startConfig } from '../plans/config-files/bring-up.ts';
import { noteEdited } from '../plans/config-files/edited.ts';
import { describeApps, printReady } from '../plans/ready.ts';
import { planStart, type StartStep, startRequestOf } from '../plans/start-plan.ts';
import { printProcesses } from '../print.ts';

export const start: Command = {
  summary: 'starts programs or stopped apps, and waits until they are ready',
  notes: `With a config file (nsv.config.js, ecosystem.config.js, any .json or .yaml, or - for standard input), all its apps are started,
dependencies first. Without arguments, the config file in this directory is used, and with a directory ("nsv start ./shop") that of
that directory. Options override the file. A directory without a config file stands for the script "start" of its package.json. Scripts,
and commands such as "npx next start", that end up in Node are run as Node apps, without npm.

Each argument is looked up in this order: a file; an app that the daemon knows (name, id, namespace, "all" or /regex/), which is
started again with its settings; a program on the PATH or a quoted command line. "npm start" and "node app.js" are one command line,
without quotes too. Arguments after -- are passed to the new programs.
Without others before it, -- is followed by a program and its arguments: nsv start -- node --import tsx app.ts.
Nothing is started if one of the arguments is wrong.

Launches the daemon if none is running. When an app does not become ready, nsv prints the last lines of its error log and exits with
code 6; the app stays in the list.`,
  arguments: [['[what...]', 'files, programs, command lines, apps or a config']],
  options: [
    ...settingOptions,
    ['--no-wait', 'return at once, without waiting until the app is ready'],
    ...configOptions,
    ['-f, --force', 'replace a running app with the same name'],
    updateEnvOption,
    jsonOption,
  ],
  examples: [
    ['nsv start app.js -i 4', 'four processes sharing one port'],
    ['nsv start app.js -i -1 --name web', 'one process per CPU, minus one'],
    ['nsv start api.py --listen 8080 -- -v', 'nsv binds the port; -v goes to api.py'],
    ['nsv start "npm run dev" --watch', 'a script of package.json, or a command'],
    ['nsv start web', 'an app that was stopped earlier'],
    ['nsv start nsv.config.js', 'all apps of a config file'],
  ],
  async run(context, input) {
    const request = startRequestOf(input);
    const config = configWordOrDefault(context, request, input);
    if (config !== undefined) return startConfig(context, config, input, request.settings);
    const steps = await planStart(context, request, input.options);
    const client = await context.connect({ launch: true });
    const run = async () => {
      const started: ProcessView[] = [];
      for (const step of steps) started.push(...(await perform(step, client, context, input.options)));
      return started;
    };
    if (input.options.wait === false) return printProcesses(context.out, await run());
    const processes = await printReady(context.out, run);
    if (steps.some(({ kind }) => kind === 'known')) await noteEdited(context, await describeApps(client, processes));
  },
};

function perform(step: StartStep, client: Client, context: Context, options: Input['options']): Promise<ProcessView[]> {
  const wait = options.wait !== false;
  if (step.kind === 'new')
    return client.launch({ app: withoutDefaults(step.app), wait, force: options.force === true, active: true });
  const known = { targets: [step.target], ...renewedEnv(context, options) };
  return step.isRunning ? client.restart(known) : client.start({ ...known, wait });
}

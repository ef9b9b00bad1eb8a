import type { AppSpec } from '../../config/app-spec.ts';
import type { AppView } from '../../ipc/views.ts';
import { type Command, type Context, clientIfRunning, jsonOption } from '../command.ts';
import { directoryOf, nodeVersionOf, shortInterpreterOf, userOf, versionOf } from '../facts/app-facts.ts';
import { type JlistFacts, jlistOf, jlistRenderer, prettyListOf } from '../render/jlist.ts';
import { toJson } from '../render/text.ts';

export const jlist: Command = {
  summary: 'prints processes as JSON in the format of "pm2 jlist"',
  notes:
    'For tools that read the output of PM2. For new scripts, "nsv list --json" is simpler. Prints [] when no daemon is running.',
  options: [jsonOption],
  examples: [['nsv jlist | jq ".[].monit"', 'memory and CPU of each process']],
  async run(context) {
    const texts: string[] = [];
    const render = jlistRenderer();
    for (const [app, facts] of await described(context)) texts.push(...render(app, facts));
    context.out.write(`[${texts.join()}]`);
  },
};

export const prettylist: Command = {
  summary: 'prints processes in the notation of "pm2 prettylist"',
  notes: 'Prints the data of "nsv jlist" as util.inspect() of Node shows it; with --json, as JSON with line breaks.',
  options: [jsonOption],
  examples: [['nsv prettylist | less', 'read it page by page']],
  async run(context) {
    const { json, terminal, write } = context.out;
    const apps = [...(await described(context))];
    const processes = apps.flatMap(([app, facts]) => jlistOf(app, facts));
    write(json ? toJson(processes, 2) : prettyListOf(processes, terminal.colour));
  },
};

async function described(context: Context) {
  const client = await clientIfRunning(context);
  return describedIn(client ? await client.describe({ targets: [] }) : [], context);
}

/** One by one, as what need not be kept until the end costs no time to collect. */
function* describedIn(apps: readonly AppView[], context: Context): Generator<[AppView, JlistFacts]> {
  const version = oncePer(versionOf, directoryOf);
  const interpreter = oncePer(shortInterpreterOf, ({ interpreter, cwd, env }) =>
    [interpreter, cwd, env.PATH].join('\n'),
  );
  const nodeVersion = oncePer(
    (spec) => nodeVersionOf(spec, context),
    ({ interpreter = '' }) => interpreter,
  );
  const username = oncePer(userOf, ({ uid = '' }) => uid);
  for (const app of apps) {
    const { spec } = app;
    yield [
      app,
      {
        version: version(spec),
        interpreter: interpreter(spec),
        nodeVersion: nodeVersion(spec),
        username: username(spec),
      },
    ];
  }
}

/** Asks once for all apps with the same key: a hundred apps have few directories, programs and users. */
function oncePer<T>(ask: (spec: AppSpec) => T, keyOf: (spec: AppSpec) => string): (spec: AppSpec) => T {
  const answers = new Map<string, T>();
  return (spec) => {
    const key = keyOf(spec);
    if (!answers.has(key)) answers.set(key, ask(spec));
    return answers.get(key)!;
  };
}

import { isAppReady, isHealthReady } from '../../client/health.ts';
import { defaultHealthHost } from '../../config/health-server.ts';
import type { HealthView } from '../../ipc/views.ts';
import { failure } from '../../shared/errors.ts';
import { type Command, type Context, type Input, jsonOption } from '../command.ts';
import { healthServerOptions, planHealthServer } from '../plans/serve-plan.ts';
import { printEither, printProcesses } from '../print.ts';
import { renderHealth } from '../render/table/health-lines.ts';

export const health: Command = {
  summary: 'tells whether the apps are ready, also over HTTP for probes',
  notes: `Prints what /ready of "nsv run --health-port" answers. The exit code is 0 if the apps, or the app, are ready, and 9 if not.

With --serve, an app called health-<port> answers /live, /startup, /ready and /ready/<app> for the daemon, on ${defaultHealthHost} unless
--host says otherwise.`,
  arguments: [['[app]', 'the name of one app (default: all)']],
  options: [...healthServerOptions, jsonOption],
  examples: [
    ['nsv health', 'all apps'],
    ['nsv health web', 'one app, as an exec probe'],
    ['nsv health --serve 9000', 'HTTP probes for a daemon'],
  ],
  async run(context, input) {
    const app = planHealthServer(context, input);
    if (!app) return report(context, input);
    const client = await context.connect({ launch: true });
    const force = input.options.force === true;
    return printProcesses(context.out, await client.launch({ app: await app, wait: true, force, active: true }));
  },
};

async function report(context: Context, { words: [name] }: Input): Promise<void> {
  const client = await context.connect();
  const all = await client.health({});
  const apps = all.apps.filter((app) => name === undefined || app.name === name);
  if (name !== undefined && apps.length === 0) throw failure('NO_SUCH_APP', { target: name });
  const view: HealthView = { ...all, apps };
  printEither(context.out, view, () => renderHealth(name === undefined ? view : { apps }));
  const [app] = apps;
  if (name !== undefined && app && !(isAppReady(app) && all.status !== 'stopping'))
    throw failure('UNREADY', { what: `"${name}"`, status: app.status });
  if (name === undefined && !isHealthReady(all)) throw failure('UNREADY', { what: 'the daemon', status: all.status });
}

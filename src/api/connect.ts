// The API for programs: the methods of the protocol, named like the commands of the command line.
import { resolve } from 'node:path';
import type { AppConfig, Config } from '../../config/index.cjs';
import { changeQueue, countQueue, drained, type QueueDaemon, viewQueue, viewQueues } from '../client/queues/queues.ts';
import { waitForExit } from '../client/session.ts';
import type { RuntimeChange } from '../ipc/app/views.ts';
import { givenEnvironment } from '../os/process-1.ts';
import { realClock } from '../shared/clock.ts';
import { failure } from '../shared/errors.ts';
import { homePaths } from '../shared/paths.ts';
import { otherProgram, startApps, updateApp } from './apps.ts';
import { createSubscriptions } from './events.ts';
import { createRun, DaemonConnections, type Run } from './link.ts';
import { createReadings } from './logs.ts';
import type { ConnectOptions, Nsv, QueueChoice, StartOptions, Targets } from './nsv.ts';

const noDaemonless =
  'connect takes an object of options; for what PM2 calls no daemon mode, use "nsv run", or a home of your own: connect({ home })';

/** Rejects with BAD_USAGE, DAEMON_NOT_RUNNING, DAEMON_FAILED, DAEMON_UNREACHABLE, DAEMON_SILENT, HOME_UNSAFE or VERSION_MISMATCH. */
export async function connect(options: ConnectOptions = {}): Promise<Nsv> {
  if (typeof options !== 'object') throw failure('BAD_USAGE', { detail: noDaemonless });
  const { home, launch = true, cwd = process.cwd(), env = givenEnvironment() } = options;
  const paths = homePaths(home);
  const link = new DaemonConnections(paths);
  await link.shared(launch);
  const run = createRun(link);
  const at = { cwd, env: defined(env) };
  const renewal = ({ updateEnv = false }) => (updateEnv ? { env: at.env } : {});
  const subscriptions = createSubscriptions(() => link.run('events', () => link.own(false)));
  const readings = createReadings();

  async function close(): Promise<void> {
    subscriptions.end();
    readings.end();
    await link.close();
  }

  return {
    ping: () => run('ping', (client) => client.ping({})),
    health: () => run('health', (client) => client.health({})),
    list: (targets) => run('list', (client) => client.list(any(targets))),
    describe: (targets) => run('describe', (client) => client.describe(any(targets))),
    deaths: (targets) => run('deaths', (client) => client.deaths({ ...any(targets), details: true })),
    logFiles: (targets) => run('logFiles', (client) => client.logs(any(targets))),
    logs(options = {}) {
      if (typeof options !== 'object')
        throw failure('BAD_USAGE', { detail: 'logs takes an object: { targets: "web" }' });
      link.expectOpen('logs');
      const { targets, ...how } = options;
      return readings.begin({ ...how, ...any(targets), home: paths.home, env: at.env });
    },
    start(what: string | Config, ...rest: (object | undefined)[]) {
      const [settings, options = {}] = (typeof what === 'string' ? rest : [undefined, ...rest]) as [
        AppConfig?,
        StartOptions?,
      ];
      return run('start', (client) => startApps({ client, at }, what, settings, options), options, launch);
    },
    stop: (targets, options) => run('stop', (client) => client.stop(requireTargets(targets)), options),
    restart: (targets, options = {}) =>
      run('restart', (client) => client.restart({ ...requireTargets(targets), ...renewal(options) }), options),
    reload(targets, options = {}) {
      const { parallel = 1 } = options;
      return run(
        'reload',
        async (client) => {
          const words = requireTargets(targets);
          const program = await otherProgram({ client, at }, words.targets, options);
          return client.reload({ ...words, parallel, ...renewal(options), ...program });
        },
        options,
      );
    },
    update: (config, options = {}) => run('update', (client) => updateApp({ client, at }, config, options), options),
    delete: (targets, options) => run('delete', (client) => client.delete(requireTargets(targets)), options),
    scale: (targets, instances, options) =>
      run('scale', (client) => client.scale({ ...requireTargets(targets), instances }), options),
    signal: (targets, signal) => run('signal', (client) => client.signal({ ...requireTargets(targets), signal })),
    send: (targets, text) => run('send', (client) => client.send({ ...requireTargets(targets), text })),
    message: (targets, topic, data = null) =>
      run('message', (client) => client.message({ ...requireTargets(targets), topic, data })),
    trigger: (targets, action, param) =>
      run('trigger', (client) =>
        client.trigger({ ...requireTargets(targets), action, ...(param !== undefined && { param }) }),
      ),
    runtimeSettings: (targets, { secrets = false } = {}) =>
      run('runtimeSettings', (client) => client.runtimeSettings({ ...any(targets), secrets })),
    changeRuntimeSettings: (targets, change) =>
      run('changeRuntimeSettings', (client) =>
        client.changeRuntimeSettings({ ...requireTargets(targets), ...absolute(at.cwd, change) }),
      ),
    ...queueMethods(run, () => link.own(false)),
    reset: (targets) => run('reset', (client) => client.reset(requireTargets(targets))),
    rotateLogs: (targets) => run('rotateLogs', (client) => client.rotateLogs(any(targets))),
    reopenLogs: (targets) => run('reopenLogs', (client) => client.reopenLogs(any(targets))),
    save: (options) => run('save', (client) => client.save(options ?? {})),
    resurrect: (options) => run('resurrect', (client) => client.resurrect({}), options, launch),
    kill: () =>
      link.run('kill', async () => {
        const connection = await link.shared(false);
        const ended = await connection.client.kill({});
        await waitForExit(connection);
        readings.end();
        return ended;
      }),
    events: ({ targets, signal } = {}) => subscriptions.begin({ ...any(targets), signal }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function absolute(cwd: string, { file, ...change }: RuntimeChange): RuntimeChange {
  if (file === undefined) return change;
  return { ...change, file: file === null ? null : resolve(cwd, file) };
}

/** Drops undefined values, as Node does with the environment of a child. */
function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** No targets mean all. */
function any(targets: Targets | undefined): { targets: string[] } {
  return targets === undefined ? { targets: [] } : requireTargets(targets);
}

/** On the wire, an empty list means all, so an empty list of the caller must not stop everything. Throws BAD_USAGE. */
function requireTargets(targets: Targets): { targets: string[] } {
  const words = targets === undefined ? [] : [targets].flat().map(String);
  if (words.length > 0) return { targets: words };
  throw failure('BAD_USAGE', { detail: 'no target given: name at least one app, or "all"' });
}

type QueueMethods = Pick<
  Nsv,
  'queues' | 'queue' | 'retryTasks' | 'pauseQueue' | 'resumeQueue' | 'drainQueue' | 'removeTask'
>;

/** `open` opens a connection of its own for the questions to processes. */
function queueMethods(run: Run, open: QueueDaemon['open']): QueueMethods {
  const which = (name: string, { app }: QueueChoice = {}) => ({ name, app });
  return {
    queues: () => run('queues', (client) => viewQueues({ client, open })),
    queue: (name, choice) => run('queue', (client) => viewQueue({ client, open }, which(name, choice))),
    retryTasks: (name, task, choice) =>
      run('retryTasks', (client) => changeQueue({ client, open }, which(name, choice), { act: 'retry', task })),
    async pauseQueue(name, choice) {
      await run('pauseQueue', (client) => changeQueue({ client, open }, which(name, choice), { act: 'pause' }));
    },
    async resumeQueue(name, choice) {
      await run('resumeQueue', (client) => changeQueue({ client, open }, which(name, choice), { act: 'resume' }));
    },
    drainQueue: (name, { onProgress = () => {}, ...choice } = {}) =>
      run('drainQueue', (client) =>
        drained(() => countQueue({ client, open }, which(name, choice)), onProgress, realClock),
      ),
    async removeTask(name, task, choice) {
      const change = { act: 'remove', task } as const;
      return (await run('removeTask', (client) => changeQueue({ client, open }, which(name, choice), change))) > 0;
    },
  };
}

// `nsv run`: a daemon in the foreground that runs its apps and ends with them. The command line loads this program into
// its own process, so that a container needs only one Node for nsv.
import type { AppSpec } from '../config/app-spec.ts';
import { inOrder } from '../config/file/order.ts';
import type { RunOptions } from '../config/options/run-fields.ts';
import type { Registry } from '../daemon/apps/registry.ts';
import { createDaemon, type Daemon, logUncaughtErrors, reloadAll } from '../daemon/daemon.ts';
import type { Logger } from '../daemon/logger.ts';
import { type Claim, claimHome } from '../daemon/state/singleton.ts';
import { setV8Flags } from '../daemon/upkeep/idle-gc.ts';
import { notifyShellAbove, sendSignal } from '../os/terminate.ts';
import { treeOf } from '../os/tree.ts';
import { realClock as clock } from '../shared/clock.ts';
import { detailOf, failure, isFailure } from '../shared/errors.ts';
import { type HomePaths, homePaths } from '../shared/paths.ts';
import { version } from '../shared/version.ts';
import { purposeOf } from './exit-code.ts';
import { watchOutcome } from './outcome.ts';
import { createOutput } from './output.ts';
import { listenToSignals, meaningOf, type StopRequest, signalsToHandle } from './signals.ts';
import { Stop } from './stop.ts';
import { shareTerminal } from './terminal.ts';
import { unexecutable } from './unexecutable.ts';

export interface RunRequest {
  apps: AppSpec[];
  options: RunOptions;
}

/**
 * Milliseconds. If a shell is process 1, Ctrl-C arrives twice: from the terminal, and forwarded by the shell. Only that key shortens
 * the stop: SIGTERM comes twice when a whole group is signalled, and from some orchestrators.
 */
const secondAfter = 200;

/** Never resolves: it exits the process. Rejects if an app cannot be started. */
export async function runInForeground({ apps, options }: RunRequest): Promise<never> {
  const { exitOn, rewrite, signalGroup, stopTimeout, healthPort } = options;
  process.umask(0o077);
  const paths = homePaths();
  const terminalShare = shareTerminal(apps);
  const output = createOutput(options, clock);
  const { logger } = output;
  const daemon = createDaemon({
    paths,
    logger,
    formatting: output.formatting,
    streams: (spec, slot) => ({ ...output.filesOf(spec, slot), ...terminalShare.inputOf(spec, slot) }),
    end: () => end(),
    health: { isStopping: () => ending !== undefined, purpose: purposeOf(exitOn) },
    hasHome: () => home !== undefined,
  });
  process.on('exit', daemon.writeJournal);
  const { registry } = daemon;
  const { alerted, drainClients } = daemon;
  const stop = new Stop({ registry, clock, budget: stopTimeout, alerted, drained: output.drained, drainClients });
  const names = apps.map(({ name }) => name);
  const outcome = watchOutcome(daemon, names, exitOn, end);
  /** Also what "nsv kill" means. */
  let stopSignal: NodeJS.Signals = 'SIGTERM';
  let home: Claim | undefined;
  let ending: Promise<void> | undefined;
  let askedAt: number | undefined;

  /** Only the first call counts. */
  function end(code?: number, ask?: StopRequest): void {
    ending ??= stop
      .run(ask)
      .then(() => {
        home?.release();
        process.exit(code ?? outcome.codeAfterStop(stopSignal));
      })
      .catch((error) => {
        // Later requests to end do nothing, so the process must exit here.
        logger.fatal({ err: error }, 'cannot stop in order');
        process.exit(1);
      });
  }

  function onSignal(signal: NodeJS.Signals): void {
    const meaning = meaningOf(signal, rewrite, terminalShare.terminal);
    logger.debug({ signal, meaning: meaning.kind }, 'signal');
    if (meaning.kind === 'stop') askToStop(signal, meaning.ask);
    else if (meaning.kind === 'forward') forward(registry, meaning.signal, signalGroup);
    else if (meaning.kind === 'heard') leaveToApp(signal);
    else if (meaning.kind === 'reload' && !ending) reloadAll(daemon);
  }

  /** If no process runs (it waits for a restart, or a command stopped it), only nsv received the key. */
  function leaveToApp(signal: NodeJS.Signals): void {
    const { groups } = registry;
    const isThere = groups.some(({ all }) => all.some(({ child }) => child !== undefined));
    if (!isThere) askToStop(signal);
    for (const group of groups) group.overrideSettings({ autorestart: false });
  }

  function askToStop(signal: NodeJS.Signals, ask?: StopRequest): void {
    const now = clock.now();
    if (askedAt === undefined) {
      stopSignal = signal;
      logger.info({ signal }, 'stopping');
      daemon.events.emit({ type: 'command', method: 'kill', apps: [], by: { signal } });
    } else if (signal === 'SIGINT' && now - askedAt >= secondAfter) stop.killRemaining();
    askedAt ??= now;
    end(undefined, ask);
  }

  /** Loads the server only if it is needed: `node:http` takes two megabytes. */
  async function serveProbes(port: number): Promise<void> {
    const { startHealth } = await import('../daemon/control/health.ts');
    const onError = (error: Error) => logger.error({ err: error }, 'probes');
    await startHealth({ port, look: daemon.health, onError });
  }

  logUncaughtErrors(logger);
  if (process.pid === 1)
    logger.warn('running as process 1 without sh: orphaned processes are stopped, but remain zombies');
  listenToSignals(signalsToHandle(terminalShare.terminal), onSignal);
  notifyShellAbove();
  home = await openHome(paths, daemon, logger);
  daemon.events.emit({
    type: 'daemon',
    pid: process.pid,
    detail: `nsv run ${version} (Node ${process.version}) starts`,
  });
  setV8Flags();
  try {
    if (healthPort !== undefined) await serveProbes(healthPort);
    if (!ending) await start(terminalShare.apps, daemon);
    outcome.begin();
  } catch (error) {
    // Stopping during the start is not a failure.
    if (!ending) {
      ending = stop.run();
      await ending;
      home?.release();
      throw error;
    }
  }
  return new Promise(() => {});
}

/**
 * Starts the apps in parallel, each when its dependencies are ready. Fails if an app cannot be executed, as a shell
 * does.
 */
async function start(apps: readonly AppSpec[], { handlers }: Daemon): Promise<void> {
  const needed = new Set(apps.flatMap(({ dependsOn }) => dependsOn));
  const fates = await inOrder(apps, async (app) => {
    try {
      await handlers.launch({ app, wait: needed.has(app.name), force: false, active: true }, () => {});
    } catch (error) {
      throw isFailure(error, 'CANNOT_SPAWN') ? unexecutable(app) : error;
    }
  });
  for (const fate of fates) if ('failed' in fate) throw fate.failed;
}

/** Forwards a signal to the apps. `wide`: to the whole session of each process, not only to the process itself. */
function forward({ groups }: Registry, name: NodeJS.Signals, wide: boolean): void {
  for (const { child } of groups.flatMap(({ all }) => all)) {
    if (!child) continue;
    // Without its mark: a descendant that has left the session is not meant.
    const { pid, startTime } = child;
    for (const who of wide ? treeOf({ pid, startTime }) : [child]) sendSignal(who, name);
  }
}

/** Opens the home to commands. Undefined if there can be no home. Rejects with HOME_TAKEN if another daemon uses it. */
async function openHome(paths: HomePaths, daemon: Daemon, logger: Logger): Promise<Claim | undefined> {
  const { home } = paths;
  let claim: Claim | undefined;
  try {
    claim = await claimHome(paths);
    if (claim) await daemon.serve();
  } catch (error) {
    claim?.release();
    logger.info(
      { home, detail: detailOf(error) },
      'no usable home: state is kept in memory only, and commands cannot connect',
    );
    return undefined;
  }
  if (!claim) throw failure('HOME_TAKEN', { home });
  return claim;
}

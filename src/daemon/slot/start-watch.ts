// How the start of a process goes, as start-outcome.ts judges it.
import type { AppSpec } from '../../config/app-spec.ts';
import { detailOf } from '../../shared/errors.ts';
import type { Host } from '../process/host.ts';
import { isCompletion } from '../process/lifecycle/restart-policy.ts';
import type { ManagedProcess } from '../process/process.ts';
import { readinessBy } from '../process/process-context.ts';
import type { GroupSockets } from '../sockets/group-sockets.ts';
import { type StartOutcome, startOutcomeOf } from './start-outcome.ts';

interface StartContext {
  readonly host: Pick<Host, 'clock'>;
  readonly sockets: Pick<GroupSockets, 'listening'>;
  settingsOf(process: ManagedProcess): AppSpec;
}

/** Call the result after each change of the process, which has just been started: it returns undefined while the start is open. */
export function watchStart(app: StartContext, process: ManagedProcess): () => StartOutcome | undefined {
  const { clock } = app.host;
  const settings = app.settingsOf(process);
  const { listenTimeout } = settings;
  const end = clock.now() + listenTimeout;
  const { restarts: before } = process;
  return () => {
    const { state, restarts, child, lastExit, lastDeath, spawnError, unready } = process;
    return startOutcomeOf({
      state,
      lastExit,
      hasCompleted: isCompletion(settings, lastExit) && lastDeath?.cause !== 'listen failed',
      listenTimeout,
      overdue: clock.now() > end,
      hasEnded: restarts !== before,
      awaited: {
        readiness: readinessBy(app.settingsOf(process), process),
        ports: child ? app.sockets.listening.addressesOf(child) : [],
      },
      unready,
      unexecutable: spawnError ? detailOf(spawnError) : undefined,
    });
  };
}

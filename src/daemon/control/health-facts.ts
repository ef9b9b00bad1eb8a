// Reports the health of the apps of a daemon.
import { isHealthServer } from '../../config/health-server.ts';
import type { HealthView } from '../../ipc/views.ts';
import type { Group } from '../apps/group.ts';
import type { Registry } from '../apps/registry.ts';
import { isGivenUp, isTriedAgain } from '../process/lifecycle/classes.ts';
import type { ManagedProcess } from '../process/process.ts';
import { type AppFacts, healthOf, type ProcessFacts } from './health-report.ts';
import { viewStanding } from './view.ts';

export interface HealthFacts {
  /** Whether all apps are being stopped for good. */
  isStopping(): boolean;
  /** The app that the others are there for. If absent, every app matters. */
  purpose?: string | undefined;
}

/** Returns what computes the report. It remembers only whether everything has been ready when somebody asked. */
export function createHealthReport(registry: Registry, { isStopping, purpose }: HealthFacts): () => HealthView {
  let hasStarted = false;
  return () => {
    const apps = registry.groups.filter(({ spec }) => !isHealthServer(spec)).map(factsOf);
    const health = healthOf(apps, { isStopping: isStopping(), hasStarted, purpose });
    hasStarted = health.started;
    return health;
  };
}

function factsOf(group: Group): AppFacts {
  return { name: group.name, processes: group.processes.map((process) => processFacts(group, process)) };
}

function processFacts(group: Group, process: ManagedProcess): ProcessFacts {
  return { ...viewStanding(group, process), isLost: isGivenUp(process) && !isTriedAgain(process) };
}

// Derives what the probes report from the state of the apps.
// Pure: health.ts serves it.
import type { ProcessView } from '../../ipc/views.ts';

/** `degraded`: ready, but an app has fewer ready instances than wanted. */
export type Overall = 'ready' | 'degraded' | 'unready' | 'stopping';

export interface Health {
  status: Overall;
  apps: AppHealth[];
}

export interface AppHealth {
  name: string;
  /** The number of instances that should run. */
  wanted: number;
  /** The number of instances that are ready. */
  ready: number;
  status: Word | 'degraded';
  /** Restarts of all instances that nobody asked for. */
  restarts: number;
  /** Why nsv gave up on an instance; null if it gave up on none. */
  giveup: string | null;
}

export interface AppProcesses {
  name: string;
  processes: readonly Pick<ProcessView, 'status' | 'completed' | 'restarts' | 'reason'>[];
}

type Word = ProcessView['status'] | 'completed';

/** If no instance is ready, the app gets the first of these statuses that an instance has. */
const tellingFirst: Word[] = ['starting', 'waiting restart', 'stopping', 'errored', 'stopped', 'completed'];

export function healthOf(facts: readonly AppProcesses[], isStopping: boolean): Health {
  const apps = facts.map(appHealth);
  return { status: isStopping ? 'stopping' : overall(apps), apps };
}

export function isReady({ status }: Health): boolean {
  return status === 'ready' || status === 'degraded';
}

function appHealth({ name, processes }: AppProcesses): AppHealth {
  const words = processes.map(({ status, completed }) => (completed ? 'completed' : status));
  return {
    name,
    wanted: processes.length,
    ready: words.filter((word) => word === 'online').length,
    status: statusOf(words),
    restarts: processes.reduce((sum, { restarts }) => sum + restarts, 0),
    giveup: processes.find(({ reason }) => reason !== null)?.reason ?? null,
  };
}

function statusOf(words: Word[]): AppHealth['status'] {
  if (!words.includes('online')) return tellingFirst.find((word) => words.includes(word)) ?? 'stopped';
  return words.every((word) => word === 'online' || word === 'completed') ? 'online' : 'degraded';
}

/** If nothing serves, the whole is unready, also before the first app is there. */
function overall(apps: AppHealth[]): Overall {
  const isServed = apps.some(({ ready }) => ready > 0);
  const isMissed = apps.some(({ ready, status }) => ready === 0 && status !== 'completed');
  if (!isServed || isMissed) return 'unready';
  return apps.some(({ status }) => status === 'degraded') ? 'degraded' : 'ready';
}

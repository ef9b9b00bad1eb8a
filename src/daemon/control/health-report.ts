// Reports the health of the apps of a daemon, which health.ts serves. `healthOf` is pure.
import { isHealthReady } from '../../client/health.ts';
import { isHealthServer } from '../../config/health-server.ts';
import { problemWord } from '../../ipc/records/problems.ts';
import type { AppHealthView, HealthView, ProblemView, ProcessView } from '../../ipc/views.ts';
import type { Group } from '../apps/group.ts';
import type { Registry } from '../apps/registry.ts';
import { isGivenUp, isTriedAgain } from '../process/lifecycle/classes.ts';
import { viewStanding } from './view.ts';

export interface AppHealthFacts {
  name: string;
  processes: readonly ProcessFacts[];
  /** Default: none. */
  problems?: readonly ProblemView[];
}

export interface ProcessFacts
  extends Pick<ProcessView, 'status' | 'unready' | 'completed' | 'finished' | 'restarts' | 'reason'> {
  /** Nothing runs, and nsv will not try again. */
  isLost: boolean;
}

export interface Circumstances {
  /** Whether all apps are being stopped for good. */
  isStopping: boolean;
  /** Whether everything was ready before. */
  hasStarted: boolean;
  /** The app that the others are there for. If absent, every app matters. */
  purpose?: string | undefined;
}

type Word = ProcessView['status'] | 'not ready' | 'completed' | 'ended';

/** If no instance is ready, the app gets the first of these statuses that an instance has. */
const tellingFirst: Word[] = [
  'not ready',
  'starting',
  'waiting restart',
  'held',
  'stopping',
  'errored',
  'ended',
  'stopped',
  'completed',
];

export function healthOf(facts: readonly AppHealthFacts[], circumstances: Circumstances): HealthView {
  const { isStopping, hasStarted, purpose } = circumstances;
  const apps = facts.map(appHealth);
  const status = overall(apps);
  const isLost = facts.some((app) => (purpose === undefined || app.name === purpose) && isLostApp(app));
  return {
    status: isStopping ? 'stopping' : status,
    live: isStopping || !isLost,
    started: hasStarted || isHealthReady({ status }),
    apps,
  };
}

/** An app with an instance that runs, or will run again, may still recover. One that somebody has stopped is not lost. */
function isLostApp({ processes }: AppHealthFacts): boolean {
  const isOver = ({ isLost, status }: ProcessFacts) => isLost || status === 'stopped';
  return processes.some(({ isLost }) => isLost) && processes.every(isOver);
}

function appHealth({ name, processes, problems = [] }: AppHealthFacts): AppHealthView {
  const words = processes.map(wordOf);
  return {
    name,
    wanted: processes.length,
    ready: words.filter((word) => word === 'online').length,
    status: statusOf(words),
    restarts: processes.reduce((sum, { restarts }) => sum + restarts, 0),
    giveup: processes.find(({ reason }) => reason !== null)?.reason ?? null,
    // Without the details: a probe may ask from anywhere.
    ...(problems.length > 0 && { problems: [...new Set(problems.map(problemWord))] }),
  };
}

/** `nsv list` has the same words, and apps/app-readiness.ts the same notion of ready. */
function wordOf({ status, unready, completed, finished }: ProcessFacts): Word {
  if (completed || finished) return completed ? 'completed' : 'ended';
  return unready === undefined ? status : 'not ready';
}

function statusOf(words: Word[]): AppHealthView['status'] {
  if (!words.includes('online')) return tellingFirst.find((word) => words.includes(word)) ?? 'stopped';
  return words.every((word) => word === 'online' || word === 'completed') ? 'online' : 'degraded';
}

/** If nothing serves, the whole is unready, also before the first app is there. */
function overall(apps: AppHealthView[]): HealthView['status'] {
  const isServed = apps.some(({ ready }) => ready > 0);
  const isMissed = apps.some(({ ready, status }) => ready === 0 && status !== 'completed');
  if (!isServed || isMissed) return 'unready';
  return apps.some(({ status }) => status === 'degraded') ? 'degraded' : 'ready';
}

export interface HealthFacts extends Pick<Circumstances, 'purpose'> {
  isStopping(): boolean;
  problemsOf?(group: Group): ProblemView[];
}

/** Returns what computes the report. It remembers only whether everything has been ready when somebody asked. */
export function createHealthReport(
  registry: Registry,
  { isStopping, purpose, problemsOf = () => [] }: HealthFacts,
): () => HealthView {
  let hasStarted = false;
  return () => {
    const apps = registry.groups
      .filter(({ spec }) => !isHealthServer(spec))
      .map((group) => ({ ...factsOf(group), problems: problemsOf(group) }));
    const health = healthOf(apps, { isStopping: isStopping(), hasStarted, purpose });
    hasStarted = health.started;
    return health;
  };
}

function factsOf(group: Group): AppHealthFacts {
  const processes = group.processes.map((process) => {
    const isLost = isGivenUp(process) && !isTriedAgain(process);
    return { ...viewStanding(group, process), isLost };
  });
  return { name: group.name, processes };
}

// The metrics that apps have defined with `nsv/app`: asked of their processes when somebody looks, and merged over the instances.
import { mergeMetrics, parseMetrics } from '../ipc/app/metrics.ts';
import type { MetricSnapshot } from '../ipc/app/views.ts';
import type { Connection } from '../ipc/client.ts';
import type { AppView } from '../ipc/views.ts';
import { isFailure } from '../shared/errors.ts';
import { type Insight, InvalidAnswer, withInsight } from './insight.ts';

/** Milliseconds for a process to take the question up, and to answer it: one whose event loop is blocked holds nobody up. */
const limits = { timeout: 1_000, time: 10_000 };
/** Looks, if again and again a process ends between what the daemon tells of the ended ones and the question to the living ones. */
const mostLooks = 3;

export interface AppMetrics {
  /** Counters and histograms are summed over the instances and those that have ended, gauges by the rule that the app has chosen. */
  metrics: MetricSnapshot[];
  /** Ids of processes that did not answer, or not in time. Their numbers are missing. */
  silent: number[];
}

type Measured = Omit<AppView, 'endedMetrics'> & Partial<AppMetrics>;

/** Adds `metrics` and `silent` to apps that have some. `look` returns the apps as they are now. */
export async function metricsOf(
  look: () => Promise<readonly AppView[]>,
  open: () => Promise<Connection>,
): Promise<Measured[]> {
  const apps = await look();
  if (!apps.some(hasMetrics)) return [...apps];
  return withInsight(open, (insight) => measure(apps, look, insight));
}

async function measure(
  first: readonly AppView[],
  look: () => Promise<readonly AppView[]>,
  insight: Insight,
): Promise<Measured[]> {
  let apps = first;
  for (let looks = 1; ; looks += 1) {
    const asked = await Promise.all(apps.map((app) => ask(app, insight)));
    if (looks === mostLooks || asked.every(({ isWhole }) => isWhole)) return asked.map(({ measured }) => measured);
    apps = await look();
  }
}

function hasMetrics({ withMetrics, endedMetrics }: AppView): boolean {
  return withMetrics !== undefined || endedMetrics !== undefined;
}

/** `isWhole`: no process has ended meanwhile, so that it is counted nowhere. */
async function ask(app: AppView, insight: Insight): Promise<{ measured: Measured; isWhole: boolean }> {
  const { endedMetrics = [], ...rest } = app;
  if (!hasMetrics(app)) return { measured: rest, isWhole: true };
  const answers = await Promise.all((app.withMetrics ?? []).map((process) => askProcess(process, insight)));
  const living = answers.flatMap(({ value }) => parseMetrics(value));
  const metrics = mergeMetrics([...living, ...endedMetrics]);
  const silent = answers.flatMap(({ id, value }) => (value === undefined ? [id] : []));
  return { measured: { ...rest, metrics, silent }, isWhole: !answers.some(({ hasEnded }) => hasEnded) };
}

async function askProcess({ id, pid }: { id: number; pid: number }, insight: Insight) {
  try {
    const { value } = await insight.ask(id, { kind: 'metrics' }, { pid, ...limits });
    return { id, value, hasEnded: false };
  } catch (error) {
    // It runs code that answers with anything.
    if (error instanceof InvalidAnswer) return { id, value: undefined, hasEnded: false };
    if (isFailure(error, 'CANNOT_INSPECT', 'NO_SUCH_APP')) return { id, value: undefined, hasEnded: true };
    throw error;
  }
}

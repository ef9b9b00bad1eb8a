// Whether the app can take work now.
import { bridge } from './bridge.ts';
import { shared } from './shared.ts';
import { isShuttingDown } from './shutdown.ts';

interface Readiness {
  isReady: boolean;
  /** Whether the app has said anything about it. */
  isReported: boolean;
  reason: string;
  waiting: (() => void)[];
}

const state = () =>
  shared<Readiness>('readiness', () => ({ isReady: false, isReported: false, reason: '', waiting: [] }));

export function ready(): void {
  setReadiness(true, '');
  for (const resolve of state().waiting.splice(0)) resolve();
}

export function notReady(reason = ''): void {
  setReadiness(false, String(reason));
}

export function isReady(): boolean {
  return state().isReady && !isShuttingDown();
}

export function whenReady(): Promise<void> {
  const { isReady, waiting } = state();
  return isReady ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
}

function setReadiness(isReady: boolean, reason: string): void {
  const readiness = state();
  const { isReported, isReady: before, reason: former } = readiness;
  Object.assign(readiness, { isReady, reason, isReported: true });
  if (isReported && isReady === before && reason === former) return;
  report();
  if (!isReported) bridge()?.onReconnected(report);
}

function report(): void {
  const { isReady, reason } = state();
  bridge()?.send({ type: 'readiness', ready: isReady, reason });
}

// A counter as a process tells it.
import type { MetricSnapshot } from '../../src/ipc/app/views.ts';

export function jobs(value: number): MetricSnapshot {
  return { name: 'jobs', type: 'counter', help: '', unit: '', series: [{ labels: {}, value }] };
}

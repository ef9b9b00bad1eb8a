// What is in the memory of the process.
import { getHeapSnapshot } from 'node:v8';
import type { Inspection } from './inspection.ts';
import type { Answer } from './parts.ts';

const { memoryUsage } = process;

export async function allocations(ms: number, interval: number, inspection: Inspection): Promise<Answer> {
  await inspection.post('HeapProfiler.enable');
  await inspection.post('HeapProfiler.startSampling', { samplingInterval: interval });
  await inspection.wait(ms);
  return (await inspection.post<{ profile: object }>('HeapProfiler.stopSampling')).profile;
}

/** The memory that V8 needs for it is free again when the stream ends, or when nobody reads it any longer. */
export async function snapshot(inspection: Inspection): Promise<Answer> {
  // From a snapshot on, V8 keeps the ids of all objects. It drops them when a session ends that has enabled this.
  await inspection.post('HeapProfiler.enable');
  return getHeapSnapshot().setEncoding('utf8');
}

export async function collectGarbage(inspection: Inspection): Promise<Answer> {
  const before = memoryUsage();
  await inspection.post('HeapProfiler.collectGarbage');
  return { before, after: memoryUsage() };
}

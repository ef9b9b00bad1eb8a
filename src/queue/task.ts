// A task, as a store keeps it and as a program sees it.
import type { StoredTask, Task } from '../../queue/index.cjs';
import { parsed } from './json.ts';

export function taskOf(stored: StoredTask): Task {
  const { data, result, progress, failures: _, deaths: __, ...rest } = stored;
  return {
    ...rest,
    data: parsed(data),
    attempts: attemptsOf(stored),
    ...(result !== undefined && { result: parsed(result) }),
    ...(progress !== undefined && { progress: parsed(progress) as Task['progress'] & {} }),
  };
}

/** How often it has begun, without those attempts that were given back at the end of a process. */
export function attemptsOf({ state, failures, deaths }: StoredTask): number {
  return failures + deaths + (state === 'running' || state === 'completed' ? 1 : 0);
}

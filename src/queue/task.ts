// A task, as a store keeps it and as a program sees it.
import type { StoredTask, Task } from '../../queue/index.cjs';
import { parsed } from './json.ts';

export function taskOf({ data, result, progress, failures, deaths, ...rest }: StoredTask): Task {
  const runs = rest.state === 'running' || rest.state === 'completed' ? 1 : 0;
  return {
    ...rest,
    data: parsed(data),
    attempts: failures + deaths + runs,
    ...(result !== undefined && { result: parsed(result) }),
    ...(progress !== undefined && { progress: parsed(progress) as Task['progress'] & {} }),
  };
}

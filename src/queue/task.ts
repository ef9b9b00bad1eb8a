// A task, as a store keeps it and as a program sees it. What goes into a store is JSON of a bounded size: a task is a note about work, not
// its material.
import type { StoredTask, Task } from '../../queue/index.cjs';
import { errorText, queueError } from './errors.ts';

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

/** Bytes of a task's data, and of its result. */
const mostBytes = 1 << 20;
/** Bytes of what a handler reports. */
export const mostProgress = 4 << 10;

/** Throws a TypeError for what JSON cannot hold, and NSV_TOO_LARGE. Undefined becomes undefined. */
export function jsonOf(what: string, value: unknown, limit = mostBytes): string | undefined {
  if (value === undefined) return undefined;
  const text = stringify(what, value);
  const size = Buffer.byteLength(text);
  if (size <= limit) return text;
  const numbers = `takes ${size.toLocaleString('en')} bytes as JSON, more than ${limit.toLocaleString('en')}`;
  throw queueError('NSV_TOO_LARGE', `${what} ${numbers}: keep it elsewhere, and pass on where it is`);
}

function stringify(what: string, value: unknown): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (error) {
    const [reason] = (error instanceof TypeError ? error.message : errorText(error)).split('\n');
    throw new TypeError(`${what} cannot be written as JSON: ${reason}`, { cause: error });
  }
  throw new TypeError(`${what} cannot be written as JSON: it is a ${typeof value}`);
}

export function parsed(json: string | undefined): unknown {
  return json === undefined ? undefined : JSON.parse(json);
}

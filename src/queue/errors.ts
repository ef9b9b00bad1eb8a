// Errors that a program can tell apart by their codes.

export type QueueErrorCode =
  | 'NSV_CLOSED'
  | 'NSV_NO_REDIS'
  | 'NSV_NO_SQLITE'
  | 'NSV_NO_TASK'
  | 'NSV_STORE'
  | 'NSV_TASK_FAILED'
  | 'NSV_TIMEOUT'
  | 'NSV_TOO_LARGE';

export function queueError(code: QueueErrorCode, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code });
}

/** What a task keeps of an error: its message, or the stack if that says more. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
  return text.slice(0, longestError);
}

/** Characters. */
const longestError = 8_000;

/** With which death of a process a task has failed. */
export const mostDeaths = 3;

export const diedError = `${mostDeaths} processes died, or did not turn their event loop, while they worked on it`;

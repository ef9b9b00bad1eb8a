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

/** What a task keeps of an error: its stack. Anything may be thrown, such as an object that cannot be read, or that has no text. */
export function errorText(error: unknown): string {
  let text: unknown;
  try {
    text = error instanceof Error && typeof error.stack === 'string' ? error.stack : String(error);
  } catch {
    // Told below.
  }
  if (typeof text !== 'string') return 'something that has no text was thrown';
  // Not every store can keep these.
  return text.slice(0, longestError).replaceAll(/[\0\p{Cs}]/gu, '\ufffd');
}

/** Characters. */
const longestError = 8_000;

/** With which death of a process a task has failed. */
export const mostDeaths = 3;

export const diedError = `${mostDeaths} processes died, or did not turn their event loop, while they worked on it`;

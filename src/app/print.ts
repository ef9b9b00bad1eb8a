// What the library has to say about the app, which no promise of its can tell.

/** Prints a line to standard error. */
export function print(text: string, ...more: unknown[]): void {
  console.error(`nsv/app: ${text}`, ...more);
}

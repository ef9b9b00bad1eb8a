// What the library says of its own accord.

/** To standard error, as a warning of Node's would be. */
export function print(text: string): void {
  process.stderr.write(`nsv/queue: ${text}\n`);
}

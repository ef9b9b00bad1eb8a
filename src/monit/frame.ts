// What has to be written so that a terminal shows other rows.

/**
 * Rows that are as before are left alone; when nothing is known of what the terminal shows, all of it is cleared. Each row is
 * begun at its own place, and the terminal does not wrap (terminal.ts): one that is too long spoils no other.
 */
export function difference(before: readonly string[] | undefined, after: readonly string[]): string {
  const rows = after.map((row, index) => (row === (before?.[index] ?? '') ? '' : `\x1b[${index + 1};1H\x1b[2K${row}`));
  return `${before ? '' : '\x1b[2J'}${rows.join('')}`;
}

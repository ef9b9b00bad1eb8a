// Computes what to write to a terminal to change the rows it shows.

/**
 * Unchanged rows are not written; if the content of the terminal is unknown, it is cleared. Each row is positioned
 * absolutely and the terminal does not wrap (terminal.ts), so a row that is too long does not damage others.
 */
export function difference(before: readonly string[] | undefined, after: readonly string[]): string {
  const rows = after.map((row, index) => (row === (before?.[index] ?? '') ? '' : `\x1b[${index + 1};1H\x1b[2K${row}`));
  return `${before ? '' : '\x1b[2J'}${rows.join('')}`;
}

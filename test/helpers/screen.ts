// What a terminal shows after all that was written to it: as much of a terminal as the screen of nsv needs.

/** The rows, without blanks at their ends; undefined where the other screen is shown again. */
export function screenOf(output: string): string[] | undefined {
  const from = output.lastIndexOf('\x1b[?1049h');
  const written = from < 0 ? output : output.slice(from);
  if (written.includes('\x1b[?1049l')) return undefined;
  let rows: string[] = [];
  let row = 0;
  for (const [, parameters = '', command = '', text = ''] of written.matchAll(/\x1b\[([?\d;]*)([A-Za-z])([^\x1b]*)/g)) {
    if (command === 'H') row = Number(parameters.split(';')[0]) - 1;
    if (command === 'J') rows = [];
    if (command === 'K') rows[row] = '';
    if (text !== '') rows[row] = (rows[row] ?? '') + text;
  }
  return Array.from(rows, (each = '') => each.trimEnd());
}

// Renders numbers as a row of bars.

const bars = [...'▁▂▃▄▅▆▇█'];

/** The last `width` numbers, newest on the right. A bar is full at `most`, or at the largest number if that is more. */
export function sparkline(figures: readonly number[], width: number, most = 0): string {
  const shown = width > 0 ? figures.slice(-width) : [];
  const top = Math.max(most, ...shown);
  return shown
    .map((figure) => bars[top > 0 ? Math.round((figure / top) * (bars.length - 1)) : 0])
    .join('')
    .padStart(width);
}

// Suggests the known word that a user probably meant.

/** The known word with the fewest mistakes, unless they are too many for its length: a wrong guess is worse than none. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const length = word.replace(/^-+/, '').length;
  let best: string | undefined;
  let least = length < 2 ? 1 : Math.min(3, Math.ceil(length / 4)) + 1;
  for (const candidate of known) {
    const mistakes = distance(word, candidate);
    if (mistakes < least) [best, least] = [candidate, mistakes];
  }
  return best;
}

/** The end of a message about an unknown word: `; did you mean "web"?`, or nothing. */
export function didYouMean(guess: string | undefined): string {
  return guess === undefined ? '' : `; did you mean "${guess}"?`;
}

/** Number of letters that are wrong, missing, too many, or swapped with the next, computed row by row. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = row[column - 1]! + (letter === to[column - 1] ? 0 : 1);
      const isSwap = index > 0 && column > 1 && letter === to[column - 2] && from[index - 1] === to[column - 1];
      const swapped = isSwap ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1, swapped));
    }
    [before, row] = [row, next];
  }
  return row[to.length]!;
}

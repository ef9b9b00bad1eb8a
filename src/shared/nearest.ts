// Suggests the known word that a user probably meant.

/** The known word with the fewest changed letters, unless they are too many for its length. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.min(3, Math.max(1, Math.floor(word.length / 2))) + 1;
  for (const candidate of known) {
    const changes = distance(word, candidate);
    if (changes < least) [best, least] = [candidate, changes];
  }
  return best;
}

/** Levenshtein distance, computed row by row. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = row[column - 1]! + (letter === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}

// The width of text in terminal columns. Terminals differ about emoji built from several characters; if one is measured
// wrongly, its row is a little too short or too long, but other rows are not affected (drawer.ts).

const plain = /^[\x20-\x7e]*$/;
/** East Asian wide and full-width characters, and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
/** Marks that are drawn on the previous character. */
const combining = /[\p{Mn}\p{Me}]/u;

export function widthOf(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The longest prefix of the text that fits in `width` columns. */
export function fitStart(text: string, width: number): string {
  if (plain.test(text)) return text.slice(0, Math.max(0, width));
  let left = width;
  let length = 0;
  for (const character of text) {
    left -= columnsOf(character);
    if (left < 0) break;
    length += character.length;
  }
  return text.slice(0, length);
}

/** Cuts the text to at most `width` columns; an ellipsis marks the cut. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return width > 0 ? `${fitStart(text, width - 1)}…` : '';
}

/** Cuts the middle: names that begin alike differ at the end. */
export function cutMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  const start = fitStart(text, Math.ceil((width - 1) / 2));
  return `${start}…${fitEnd(text, width - 1 - widthOf(start))}`;
}

/** Returns the longest end of the text that takes at most `width` columns. */
function fitEnd(text: string, width: number): string {
  const characters = [...text];
  let from = characters.length;
  for (let left = width; from > 0; from -= 1) {
    left -= columnsOf(characters[from - 1]!);
    if (left < 0) break;
  }
  return characters.slice(from).join('');
}

/** Pads or cuts the text to exactly `width` columns. */
export function padTo(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const cut = cutTo(text, width);
  const blanks = ' '.repeat(Math.max(0, width - widthOf(cut)));
  return align === 'left' ? cut + blanks : blanks + cut;
}

/** Splits the text into pieces of at most `width` columns, but at least one character; returns at least one piece. */
export function piecesOf(text: string, width: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  do {
    const piece = fitStart(rest, width) || [...rest].slice(0, 1).join('');
    pieces.push(piece);
    rest = rest.slice(piece.length);
  } while (rest !== '');
  return pieces;
}

/** Breaks the text between words, and indents all lines but the first. A word that is longer than a line stays whole. */
export function hanging(text: string, indent: string, columns: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ (?=\S)/)) {
    if (line.trim() !== '' && widthOf(`${line} ${word}`) > columns) {
      lines.push(line);
      line = indent + word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}

function columnsOf(character: string): number {
  if (combining.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

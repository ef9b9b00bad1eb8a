// What a terminal shows after all that was written to it, with colours: as much of a terminal as nsv needs.

const plain = { colour: 39, bold: false, inverse: false };

/** Rows of pieces `{ text, colour, bold, inverse }`; `colour` is an SGR code from 30 to 97. */
export function screenOf(output) {
  const rows = [];
  const cursor = { row: 0, column: 0 };
  let style = { ...plain };
  const put = (letter) => {
    rows[cursor.row] ??= [];
    rows[cursor.row][cursor.column] = { letter, ...style };
    cursor.column += 1;
  };
  for (const [token, parameters, command] of output.matchAll(/\x1b\[([?\d;]*)([A-Za-z])|./gsu)) {
    if (command === 'm') style = styled(style, parameters);
    else if (command === 'H') [cursor.row, cursor.column] = positionOf(parameters);
    else if (command === 'J') rows.length = 0;
    else if (command === 'K') rows[cursor.row] = parameters === '2' ? [] : rows[cursor.row]?.slice(0, cursor.column);
    else if (token === '\n') cursor.row += 1;
    else if (token === '\r') cursor.column = 0;
    else if (command === undefined && token >= ' ') put(token);
  }
  return Array.from(rows, (row = []) => piecesOf(Array.from(row, (cell) => cell ?? { letter: ' ', ...plain })));
}

function positionOf(parameters) {
  const [row = 1, column = 1] = parameters.split(';').map((word) => Number(word) || 1);
  return [row - 1, column - 1];
}

/** What is not known here changes nothing. */
function styled(style, parameters) {
  return parameters.split(';').map(Number).reduce(withCode, style);
}

function withCode(style, code) {
  if (code === 0) return { ...plain };
  if (code === 1 || code === 22) return { ...style, bold: code === 1 };
  if (code === 7 || code === 27) return { ...style, inverse: code === 7 };
  const isColour = (code >= 30 && code <= 39) || (code >= 90 && code <= 97);
  return isColour ? { ...style, colour: code } : style;
}

/** Cells of one style in a row become one piece. */
function piecesOf(cells) {
  const pieces = [];
  for (const { letter, ...style } of cells) {
    const last = pieces.at(-1);
    if (last && Object.keys(style).every((key) => last[key] === style[key])) last.text += letter;
    else pieces.push({ text: letter, ...style });
  }
  return pieces;
}

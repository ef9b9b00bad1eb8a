// A screen as an SVG with its own background, so that it looks the same on a light and on a dark page.

const colours = { 30: '#45475a', 31: '#f38ba8', 32: '#a6e3a1', 33: '#f9e2af', 34: '#89b4fa', 35: '#f5c2e7' };
Object.assign(colours, { 36: '#89dceb', 37: '#cdd6f4', 39: '#cdd6f4', 90: '#7f849c' });
const background = '#1e1e2e';
const [letter, height, margin] = [8.43, 18, 16];

/** Each piece of one style is placed by its column: fonts differ in the width of line-drawing characters. */
export function svgOf(title, screen) {
  const widths = screen.map((pieces) => pieces.reduce((sum, { text }) => sum + text.trimEnd().length, 0));
  const longest = Math.max(...screen.map(columnsOf), ...widths);
  const [width, total] = [Math.ceil(longest * letter) + 2 * margin, screen.length * height + 2 * margin];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" \
font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" rx="8" fill="${background}"/>
${screen.map(rowOf).join('\n')}
</svg>
`;
}

/** The lines between columns stand alone, so that they are below one another whatever the width of letters. */
function columnsOfTable({ text, ...style }) {
  return text.match(/│|[^│]+/g).map((part) => ({ text: part, ...style }));
}

function columnsOf(pieces) {
  return pieces.reduce((sum, { text }) => sum + text.length, 0);
}

function rowOf(pieces, row) {
  let column = 0;
  const [boxes, spans] = [[], []];
  for (const { text, colour, bold, inverse } of pieces.flatMap(columnsOfTable)) {
    const x = (margin + column * letter).toFixed(1);
    const size = (text.length * letter).toFixed(1);
    column += text.length;
    const fill = colours[colour] ?? colours[39];
    if (inverse)
      boxes.push(`<rect x="${x}" y="${margin + row * height}" width="${size}" height="${height}" fill="${fill}"/>`);
    const weight = bold ? ' font-weight="bold"' : '';
    if (text.trim() || inverse)
      spans.push(
        `<tspan x="${x}" textLength="${size}" fill="${inverse ? background : fill}"${weight}>${escaped(text)}</tspan>`,
      );
  }
  return `${boxes.join('')}<text y="${margin + (row + 1) * height - 5}">${spans.join('')}</text>`;
}

/** The text of a picture, for comparison. */
export function textOf(svg) {
  const spans = [...svg.matchAll(/<tspan[^>]*>([^<]*)</g)].map(([, text]) => text);
  return spans.join('\n').replaceAll('&#160;', ' ').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(' ', '&#160;');
}

// Draws docs/list.svg from the real output of `nsv list` on a terminal of 100 columns: `npm run build && node scripts/picture.mjs`.
// It needs script(1) from util-linux for the terminal.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const nsv = join(root, 'bin', 'nsv');
const home = mkdtempSync(join(tmpdir(), 'nsv-picture-'));
const env = { ...process.env, NSV_HOME: home, TERM: 'xterm-256color', NO_COLOR: '', FORCE_COLOR: '1' };
const run = (...args) => execFileSync(nsv, args, { cwd: root, env, encoding: 'utf8' });

try {
  run('start', 'examples/hello.js', '-i', '4');
  const list = `stty cols 100 rows 40; '${nsv}' list`;
  const output = execFileSync('script', ['-qec', list, '/dev/null'], { env, encoding: 'utf8' });
  writeFileSync(join(root, 'docs', 'list.svg'), svgOf(`$ nsv list\n${output.replaceAll('\r', '').trimEnd()}`));
} finally {
  run('kill');
  rmSync(home, { recursive: true });
}

/** Each piece of one colour is a <tspan>, placed by its column: fonts differ in the width of line-drawing characters. */
function svgOf(text) {
  const lines = text.split('\n').map(piecesOf);
  const columns = Math.max(...lines.map((pieces) => pieces.reduce((sum, { text }) => sum + text.length, 0)));
  const [letter, height, margin] = [8.4, 18, 16];
  const rows = lines.map((pieces, row) => {
    let column = 0;
    const spans = pieces.map(({ text, colour, bold }) => {
      const x = margin + column * letter;
      column += text.length;
      const weight = bold ? ' font-weight="bold"' : '';
      const size = (text.length * letter).toFixed(1);
      return `<tspan x="${x.toFixed(1)}" textLength="${size}" fill="${colour}"${weight}>${escaped(text)}</tspan>`;
    });
    return `<text y="${margin + (row + 1) * height - 5}">${spans.join('')}</text>`;
  });
  const width = Math.ceil(columns * letter) + 2 * margin;
  const total = lines.length * height + 2 * margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" \
font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
<title>nsv list</title>
<rect width="100%" height="100%" rx="8" fill="#1e1e2e"/>
${rows.join('\n')}
</svg>
`;
}

/** The SGR codes that src/cli/render/paint.ts uses; what is not known here changes nothing. */
function piecesOf(line) {
  const colours = { 31: '#f38ba8', 32: '#a6e3a1', 33: '#f9e2af', 36: '#89dceb', 39: '#cdd6f4', 90: '#7f849c' };
  const style = { colour: colours[39], bold: false };
  const pieces = [];
  for (const [, codes, text] of line.matchAll(/(?:\x1b\[([\d;]*)m)|([^\x1b]+)/g)) {
    if (text) pieces.push({ ...style, text });
    for (const code of codes?.split(';') ?? []) {
      style.colour = colours[code] ?? style.colour;
      if (code === '1' || code === '22') style.bold = code === '1';
    }
  }
  return pieces;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(' ', '&#160;');
}

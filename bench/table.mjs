// node bench/table.mjs <file of --append>: a Markdown table of what the benchmarks have measured in pairs (rows.mjs). The figures are those
// of the oldest Node in the file, the ratios those of each.
import { appendedTo } from './measure.mjs';
import { figure, rows, summary } from './rows.mjs';

const pairs = appendedTo(process.argv[2]);
const lineOf = ({ node }) => node.split('.')[0];
const lines = [...new Set(pairs.map(lineOf))].sort();

print(['what', 'floor', '', `nsv, Node ${lines[0]}`, ...lines.map((line) => `ratio on ${line}`)]);
print(['---', '---', '--:', '--:', ...lines.map(() => '--:')]);
for (const [row, [title, floor, unit]] of Object.entries(rows)) {
  const measured = lines.map((line) => pairs.filter((pair) => pair.row === row && lineOf(pair) === line));
  if (measured.every(({ length }) => length === 0)) continue;
  const summaries = measured.map((group) => (group.length > 0 ? summary(group) : undefined));
  const figures = ['floor', 'nsv'].map((side) => (summaries[0] ? `${figure(summaries[0][side])} ${unit}`.trim() : ''));
  print([title, floor, ...figures, ...summaries.map((of) => of?.ratio.toFixed(2) ?? '')]);
}

function print(cells) {
  console.log(`| ${cells.join(' | ')} |`);
}

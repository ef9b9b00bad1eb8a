// node bench/loss/table.mjs <file of run.mjs --append>: a Markdown table of what was lost in all rounds, by Node line.
import { readFileSync } from 'node:fs';

const results = readFileSync(process.argv[2], 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const lines = [...new Set(results.map(lineOf))].sort();
const names = [...new Set(results.map(({ name }) => name))];

print(['scenario', ...lines.map((line) => `Node ${line}`), 'what was lost']);
print(['---', ...lines.map(() => '--:'), '---']);
for (const name of names) {
  const rounds = results.filter((result) => result.name === name);
  print([
    `\`${name}\``,
    ...lines.map((line) => total(rounds.filter((round) => lineOf(round) === line))),
    lossOf(rounds),
  ]);
}

function lineOf({ node }) {
  return node.split('.')[0];
}

function total(rounds) {
  if (rounds.length === 0) return '';
  const sum = (count) => rounds.reduce((all, round) => all + count(round), 0);
  return `${sum(({ failures }) => failures.length)} of ${sum(({ requests }) => requests).toLocaleString('en')}`;
}

/** How often each kind of loss was seen, and what else went wrong. */
function lossOf(rounds) {
  const failures = rounds.flatMap((round) => round.failures);
  const kinds = [...new Set(failures)].map((kind) => `${failures.filter((one) => one === kind).length} ${kind}`);
  return [...kinds, ...new Set(rounds.flatMap(({ problems }) => problems))].join('; ');
}

function print(cells) {
  console.log(`| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`);
}

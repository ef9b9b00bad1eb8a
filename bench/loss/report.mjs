// Results to text: a table for the terminal, or rows for docs/.
import { printTable } from '../measure.mjs';
import { kinds } from './failures.mjs';

const head = ['scenario', 'requests', 'failed', ...kinds, 'verdict', 'remarks'];

export function printRows(results, markdown) {
  const rows = [head, ...results.map(rowOf)];
  if (markdown) for (const line of markdownOf(rows)) console.log(line);
  else printTable(`requests lost, Node ${process.versions.node}`, rows);
}

function rowOf({ name, must, requests, failures, problems, remark }) {
  const counts = kinds.map((kind) => failures.filter((failure) => failure.kind === kind).length);
  const lost = failures.length + problems.length > 0;
  const verdict = must ? (lost ? 'LOST' : 'ok') : 'for comparison';
  return [name, requests, failures.length, ...counts, verdict, [remark, ...problems].filter(Boolean).join('; ')];
}

function markdownOf([first, ...rows]) {
  const line = (cells) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  const rule = first.map((_, column) => (column > 0 && column <= kinds.length + 2 ? '--:' : '---'));
  return [line(first), line(rule), ...rows.map(line)];
}

/** Each failure with its time since the load began, for finding out why. */
export function printFailures(failures) {
  for (const { ms, kind, via, detail = '', bytes = 0, port, path } of failures) {
    console.error(`  ${ms} ms  ${kind} ${detail}  ${via} connection from ${port}, ${path}, ${bytes} bytes came`);
  }
}

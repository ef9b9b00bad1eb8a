// Results to text: a table for the terminal, lines of JSON for table.mjs.
import { appendFileSync } from 'node:fs';
import { printTable } from '../measure.mjs';
import { kinds } from './failures.mjs';

const head = ['scenario', 'requests', 'failed', ...kinds, 'verdict', 'remarks'];

export function printRows(results) {
  printTable(`requests lost, Node ${process.versions.node}`, [head, ...results.map(rowOf)]);
}

export function appendResult(file, { name, must, requests, failures, problems, remark }) {
  const kindsOf = failures.map(({ kind }) => kind);
  const line = { node: process.versions.node, name, must, requests, failures: kindsOf, problems, remark };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

function rowOf({ name, must, requests, failures, problems, remark, isVoid }) {
  if (isVoid) return [name, requests, '', ...kinds.map(() => ''), 'NOT COUNTED', remark];
  const counts = kinds.map((kind) => failures.filter((failure) => failure.kind === kind).length);
  const lost = failures.length + problems.length > 0;
  const verdict = must ? (lost ? 'LOST' : 'ok') : 'for comparison';
  return [name, requests, failures.length, ...counts, verdict, [remark, ...problems].filter(Boolean).join('; ')];
}

/** Each failure with its time since the load began, for finding out why. */
export function printFailures(failures) {
  for (const { ms, kind, via, detail = '', bytes = 0, port, path } of failures) {
    console.error(`  ${ms} ms  ${kind} ${detail}  ${via} connection from ${port}, ${path}, ${bytes} bytes came`);
  }
}

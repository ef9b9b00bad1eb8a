// What the benchmarks of starts, lists, memory and connections measure in pairs: nsv, and its floor just before or after it.
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { median, printTable } from './measure.mjs';

/** In the order of the table: what is measured, what it is compared with, and the unit of both figures. */
export const rows = {
  one: ['`start` of one app until it answers', 'bare `node`', 'ms'],
  'one-cold': ['the same, without a daemon before', 'bare `node`', 'ms'],
  'run-fresh': ['`nsv run` of one app until it answers, in a new home', 'bare `node`', 'ms'],
  'run-used': ['the same, in a home that was used before', 'bare `node`', 'ms'],
  'run-read-only': ['the same, in a read-only home', 'bare `node`', 'ms'],
  four: ['`start -i 4` until all four listen', '`cluster`', 'ms'],
  sleepers: ['50 sleeping programs from one config file, until all run', '50 bare spawns', 'ms'],
  'sleepers-back': ['the same, until the command is back', '50 bare spawns', 'ms'],
  idle: ['50 idle Node apps from one config file, until all run', '50 bare spawns', 'ms'],
  'idle-back': ['the same, until the command is back', '50 bare spawns', 'ms'],
  'list-10': ['`list` of 10 processes', '`node -e 0`', 'ms'],
  'list-100': ['`list` of 100 processes', '`node -e 0`', 'ms'],
  'jlist-100': ['`jlist` of 100 processes', '`node -e 0`', 'ms'],
  boot: ['boot of the daemon by a command', '`node -e 0`', 'ms'],
  'daemon-0': ['memory of the daemon without an app, PSS', 'bare `node` on a Unix socket', 'kB'],
  'daemon-100': ['the same with 100 apps of one program each', 'bare `node` on a Unix socket', 'kB'],
  'daemon-300': ['the same with 300', 'bare `node` on a Unix socket', 'kB'],
  app: ['memory of a small app, private', 'bare `node`', 'kB'],
  'kept-p99': ['p99 of 32 kept connections over two processes', '`cluster`, round-robin', 'ms'],
  'kept-rate': ['requests per second on them', '`cluster`, round-robin', ''],
  'fresh-rate': ['new connections per second, two processes', '`cluster`, SCHED_NONE', ''],
  busiest: ['busiest of four processes, of 64 connections that come one by one and stay', 'their mean', ''],
  'busiest-at-once': ['the same, if all come at once', 'their mean', ''],
};

/** The arguments of a benchmark that measures rows. `--append file`: adds a line of JSON for each pair to this file. */
export function benchmark() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { append: { type: 'string' } } });
  const pairs = [];
  return {
    positionals,
    record(row, floor, nsv) {
      if (!rows[row]) throw new Error(`no row is called ${row}`);
      const pair = { node: process.versions.node, row, floor, nsv };
      pairs.push(pair);
      if (values.append) appendFileSync(values.append, `${JSON.stringify(pair)}\n`);
    },
    print() {
      const names = Object.keys(rows).filter((row) => pairs.some((pair) => pair.row === row));
      printTable(`Node ${process.versions.node}, medians of pairs in turn`, [
        ['', 'compared with', 'floor', 'nsv', 'ratio', 'unit', 'pairs'],
        ...names.map((row) => {
          const [title, compared, unit] = rows[row].map((text) => text.replaceAll('`', ''));
          const { floor, nsv, ratio, count } = summary(pairs.filter((pair) => pair.row === row));
          return [title, compared, figure(floor), figure(nsv), ratio.toFixed(2), unit, count];
        }),
      ]);
    },
  };
}

/** The ratio is the median of those of the pairs: what slows the machine for a while slows both. */
export function summary(pairs) {
  const of = (value) => median(pairs.map(value));
  return {
    floor: of(({ floor }) => floor),
    nsv: of(({ nsv }) => nsv),
    ratio: of(({ floor, nsv }) => nsv / floor),
    count: pairs.length,
  };
}

export function figure(value) {
  return value < 100 ? String(Math.round(value * 10) / 10) : Math.round(value).toLocaleString('en');
}

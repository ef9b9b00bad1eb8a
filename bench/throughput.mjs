// Requests per second and p99 with a new connection per request: nsv beside bare node and node:cluster, in turn.
//   node bench/throughput.mjs [rounds] [seconds] [names of contestants ...] [--append file]
import { load, serversCpu, underNode, underNsv } from './contestants.mjs';
import { cpuTicks, median, printTable } from './measure.mjs';
import { benchmark } from './rows.mjs';

const { positionals, record } = benchmark();
const [rounds = 5, seconds = 3] = positionals.slice(0, 2).map(Number);
const wanted = positionals.slice(2);
const workers = 2;

/** `supervisor`: the process whose CPU time counts. */
async function measure(port, supervisor) {
  const before = cpuTicks(supervisor);
  const result = await load('connections.mjs', port, seconds);
  return { ...result, ticks: cpuTicks(supervisor) - before };
}

const contestants = {
  'node, one process': () => underNode(undefined, 1, serversCpu, measure),
  'cluster round-robin': () => underNode('rr', workers, serversCpu, measure),
  'cluster SCHED_NONE': () => underNode('none', workers, serversCpu, measure),
  'nsv kernel': () => underNsv('kernel', workers, serversCpu, measure),
  'nsv rr': () => underNsv('rr', workers, serversCpu, measure),
};

const running = Object.entries(contestants).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const results = Object.fromEntries(running.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, run] of running) results[name].push(await run());
  const [none, nsv] = ['cluster SCHED_NONE', 'nsv kernel'].map((name) => results[name]?.[round]);
  if (none && nsv) record('fresh-rate', none.rate, nsv.rate);
}
printTable(`new connection per request, ${workers} workers, median of ${rounds} runs of ${seconds} s`, [
  ['', 'requests/s', 'p99 ms', 'supervisor CPU ticks', 'failed'],
  ...Object.entries(results).map(([name, runs]) => [
    name,
    ...['rate', 'p99', 'ticks', 'failed'].map((key) => Math.round(median(runs.map((run) => run[key])) * 10) / 10),
  ]),
]);

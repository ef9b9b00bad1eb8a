// How evenly connections that last are spread over the processes of an app, and what that costs: nsv beside node:cluster, in turn.
//   node bench/spread.mjs [rounds] [names of contestants ...] [--append file]
import { Agent, get } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { load, serversCpu, underNode, underNsv } from './contestants.mjs';
import { cpuTicks, median, printTable } from './measure.mjs';
import { benchmark } from './rows.mjs';

const { positionals, record } = benchmark();
const rounds = Number(positionals[0] ?? 9);
const wanted = positionals.slice(1);
const seconds = 2;

const contestants = {
  'cluster round-robin': (...job) => underNode('rr', ...job),
  'cluster SCHED_NONE': (...job) => underNode('none', ...job),
  'nsv kernel': (...job) => underNsv('kernel', ...job),
  'nsv rr': (...job) => underNsv('rr', ...job),
};

/** Opens connections that stay open, `pause` ms after each other. Returns how many the process with the most has. */
async function busiest(port, count, pause) {
  const agents = Array.from({ length: count }, () => new Agent({ keepAlive: true }));
  const asked = [];
  for (const agent of agents) {
    const answer = pidBehind(port, agent);
    asked.push(answer);
    if (pause !== undefined) await answer;
    if (pause) await after(pause);
  }
  const pids = await Promise.all(asked);
  for (const agent of agents) agent.destroy();
  await after(300);
  return Math.max(...pids.map((pid) => pids.filter((other) => other === pid).length));
}

function pidBehind(port, agent) {
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', agent }, async (response) => {
      response.setEncoding('utf8');
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(text);
    });
    request.on('error', reject);
  });
}

async function measure(run) {
  const [oneByOne, atOnce] = await run(4, undefined, async (port) => [
    await busiest(port, 64, 10),
    await busiest(port, 64),
  ]);
  return run(2, serversCpu, async (port, supervisor) => {
    const few = await busiest(port, 8, 10);
    const before = cpuTicks(supervisor);
    const kept = await load('asking-connections.mjs', port, 32, 0, 1, seconds);
    const between = cpuTicks(supervisor);
    const fresh = await load('connections.mjs', port, seconds);
    const ticks = { kept: between - before, fresh: cpuTicks(supervisor) - between };
    return { oneByOne, atOnce, few, kept, fresh, ticks };
  });
}

const running = Object.entries(contestants).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const results = Object.fromEntries(running.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, run] of running) results[name].push(await measure(run));
  recordPairs(round);
}

function recordPairs(round) {
  const [rr, nsv] = ['cluster round-robin', 'nsv kernel'].map((name) => results[name]?.[round]);
  if (!rr || !nsv) return;
  record('kept-p99', rr.kept.p99, nsv.kept.p99);
  record('kept-rate', rr.kept.rate, nsv.kept.rate);
  record('busiest', 16, nsv.oneByOne);
  record('busiest-at-once', 16, nsv.atOnce);
}

const of = (runs, value) => Math.round(median(runs.map(value)) * 10) / 10;
const worst = (runs, value) => `${of(runs, value)} (${Math.max(...runs.map(value))})`;
printTable(`connections of the busiest process, median and worst of ${rounds} runs`, [
  ['', '64 one by one over 4', '64 at once over 4', '8 one by one over 2'],
  ...Object.entries(results).map(([name, runs]) => [
    name,
    worst(runs, ({ oneByOne }) => oneByOne),
    worst(runs, ({ atOnce }) => atOnce),
    worst(runs, ({ few }) => few),
  ]),
]);
printTable(`two processes, median of ${rounds} runs of ${seconds} s`, [
  ['', '32 kept: requests/s', 'p99 ms', 'CPU ticks', 'new connections/s', 'p99 ms', 'CPU ticks', 'failed'],
  ...Object.entries(results).map(([name, runs]) => [
    name,
    of(runs, ({ kept }) => kept.rate),
    of(runs, ({ kept }) => kept.p99),
    of(runs, ({ ticks }) => ticks.kept),
    of(runs, ({ fresh }) => fresh.rate),
    of(runs, ({ fresh }) => fresh.p99),
    of(runs, ({ ticks }) => ticks.fresh),
    runs.reduce((sum, { kept, fresh }) => sum + kept.failed + fresh.failed, 0),
  ]),
]);

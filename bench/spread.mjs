// How evenly connections that last are spread over the processes of an app, and what that costs: nsv beside node:cluster, in turn.
// node bench/spread.mjs [rounds] [names of contestants ...]
import { fork } from 'node:child_process';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { underNode, underNsv } from './contestants.mjs';
import { cpuTicks, median, printTable, root } from './measure.mjs';

const rounds = Number(process.argv[2] ?? 9);
const wanted = process.argv.slice(3);
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

/** A process of its own loads the app. */
function load(port, program, ...args) {
  const client = fork(join(root, 'bench', program), [port, seconds, ...args].map(String));
  return new Promise((resolve, reject) => {
    client.once('message', resolve);
    client.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)));
  });
}

async function measure(run) {
  const [oneByOne, atOnce] = await run(4, undefined, async (port) => [
    await busiest(port, 64, 10),
    await busiest(port, 64),
  ]);
  return run(2, undefined, async (port, supervisor) => {
    const few = await busiest(port, 8, 10);
    const before = cpuTicks(supervisor);
    const kept = await load(port, 'kept-connections.mjs', 32);
    const between = cpuTicks(supervisor);
    const fresh = await load(port, 'connections.mjs');
    const ticks = { kept: between - before, fresh: cpuTicks(supervisor) - between };
    return { oneByOne, atOnce, few, kept, fresh, ticks };
  });
}

const running = Object.entries(contestants).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const results = Object.fromEntries(running.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, run] of running) results[name].push(await measure(run));
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

// Counts the requests that are lost while an app is reloaded, scaled, killed, broken or blocked under load.
// node bench/loss/run.mjs [scenario or beginning of its name ...] [--rounds n] [--times n] [--append file] [--failures]
// --rounds: how often each scenario is run (1); --times: reloads, kills, scalings, throws in each (10, or as it says itself)
// --append: adds a line of JSON for each round to a file, of which table.mjs makes the table of docs/no-loss.md
// A round in which the load generator itself stood still is not counted, and repeated, at most three times in all.
// Exit code 1 if nsv lost what it must not lose, or if a round could not be counted, 2 if a name is unknown.
import { setTimeout as after } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Load } from './client.mjs';
import { appendResult, printFailures, printRows } from './report.mjs';
import { scenarios } from './scenarios.mjs';
import { createStage } from './stage.mjs';
import { underCluster, underNsv } from './supervisors.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '1' },
    times: { type: 'string' },
    append: { type: 'string' },
    failures: { type: 'boolean', default: false },
  },
});

/** One round: start, load, act, stop. */
async function play(scenario) {
  const stage = await createStage(scenario);
  const under = scenario.supervisor === 'nsv' ? underNsv : underCluster;
  const supervisor = under({ ...scenario, script: stage.script, folder: stage.folder, env: stage.env });
  const interrupt = () => {
    supervisor.dispose(); // of nsv: synchronous; a cluster ends when its channel to this process does
    stage.dispose();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt);
  try {
    await supervisor.start();
    await stage.listened();
    const times = Number(values.times ?? scenario.times ?? 10);
    return await observe(scenario, { ...scenario, stage, supervisor, times });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
    await supervisor.dispose();
    stage.dispose();
  }
}

async function observe(scenario, scene) {
  const excused = new Set();
  const problems = [];
  const load = new Load(scene.stage.target, scenario.load);
  let remark = '';
  try {
    await after(scenario.warmUp ?? 300);
    remark = await scenario.act({ ...scene, load, excused, problems });
    if (load.exhausted) problems.push('the load reached its bound before the end');
    await after(300);
  } catch (error) {
    problems.push(error.message);
  } finally {
    await load.stop();
  }
  if (load.retried > 0) remark += `, ${load.retried} asked again (refused streams of HTTP/2)`;
  const failures = load.failures.filter((failure) => !excused.has(failure));
  if (load.requests === 0) problems.push('nothing was asked');
  const { name, must } = scenario;
  const { requests, isStarved: isVoid, stall } = load;
  remark += `, the load stood still for ${Math.round(stall)} ms at most`;
  return { name, must, requests, failures, problems, remark, isVoid };
}

/** A round that cannot even start is a result too: the others go on. */
async function attempt(scenario) {
  try {
    return await play(scenario);
  } catch (error) {
    const { name, must } = scenario;
    return { name, must, requests: 0, failures: [], problems: [error.message], remark: '', isVoid: false };
  }
}

/** A count that a starved load has made is none, however good it looks. */
async function counted(scenario) {
  for (let tries = 1; ; tries += 1) {
    const result = await attempt(scenario);
    if (!result.isVoid) return result;
    console.error(`${result.name}: the load generator was starved: not counted; ${result.remark}`);
    if (tries === 3) return result;
  }
}

function choose(names) {
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name.startsWith(name)));
  if (unknown.length > 0) {
    console.error(`unknown: ${unknown.join(', ')}; there are ${scenarios.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  // A whole name means that scenario only, though others may begin with it.
  const exact = new Set(scenarios.map(({ name }) => name).filter((name) => names.includes(name)));
  const matches = ({ name }) => names.some((word) => (exact.has(word) ? name === word : name.startsWith(word)));
  return names.length === 0 ? scenarios : scenarios.filter(matches);
}

const results = [];
for (const scenario of choose(positionals)) {
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const result = await counted(scenario);
    results.push(result);
    if (result.isVoid) continue;
    console.error(`${result.name}: ${result.failures.length} of ${result.requests} failed; ${result.remark}`);
    if (values.append) appendResult(values.append, result);
    if (values.failures) printFailures(result.failures);
  }
}
printRows(results);
const hasLost = ({ must, failures, problems }) => must && failures.length + problems.length > 0;
process.exitCode = results.some((result) => result.isVoid || hasLost(result)) ? 1 : 0;

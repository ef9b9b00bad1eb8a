// Counts the requests that are lost while the daemon is replaced under load by `nsv update`.
// node bench/update.mjs [--times n] [--to path-of-another-node] [--clients n] [--rate n]
// --times: updates (5); --to: each second one brings the daemon to that Node, the others back to this one
// --clients, --rate: of each app, connections that are kept (8) and new ones a second (25)
// Exit code 1 if a request was lost, or a process replaced that was to stay.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Load } from './loss/client.mjs';
import { printFailures } from './loss/report.mjs';
import { listened } from './loss/stage.mjs';
import { createHome, freePort, launcher, printTable } from './measure.mjs';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '5' },
    to: { type: 'string' },
    clients: { type: 'string', default: '8' },
    rate: { type: 'string', default: '25' },
  },
});
const appFile = (name) => fileURLToPath(new URL(`loss/apps/${name}`, import.meta.url));
const node = ['kernel', 'rr'].map((schedule) => ({ name: schedule, schedule }));
const apps = [...node, { name: 'python' }];

const home = createHome();

/** Does not block, unlike createHome's: the load has to go on. */
function nsv(words, env = {}) {
  const options = { env: { ...home.env, ...env }, timeout: 120_000 };
  return new Promise((resolve, reject) => {
    execFile(launcher, words, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`nsv ${words.join(' ')} ended with ${error.code}: ${stderr}`));
      else resolve(stdout);
    });
  });
}

async function start({ name, schedule }) {
  const port = String(await freePort());
  const how = schedule
    ? [appFile('http.mjs'), '-i', '2', '--schedule', schedule]
    : [appFile('inherits.py'), '--listen', port];
  await nsv(['start', ...how, '--name', name], { PORT: port });
  await listened({ host: '127.0.0.1', port });
  return { name, port };
}

async function pidsOf(name) {
  return JSON.parse(await nsv(['list', name, '--json'])).map(({ pid }) => pid);
}

try {
  const addresses = await Promise.all(apps.map(start));
  const options = { clients: Number(values.clients), rate: Number(values.rate) };
  const loads = addresses.map(({ name, port }) => ({ name, load: new Load({ host: '127.0.0.1', port }, options) }));
  const before = await pidsOf('python');
  for (let round = 0; round < Number(values.times); round += 1) {
    const begin = Date.now();
    const program = values.to && round % 2 === 0 ? values.to : process.execPath;
    const told = await nsv(['update'], { NSV_NODE: program });
    console.log(`${told.split('\n')[0]}; ${((Date.now() - begin) / 1000).toFixed(1)} s with the reloads`);
  }
  await Promise.all(loads.map(({ load }) => load.stop()));
  const after = await pidsOf('python');
  const stayed = before.join() === after.join();
  printTable(`${values.times} updates on Node ${process.versions.node}${values.to ? ` and ${values.to}` : ''}`, [
    ['app', 'requests', 'failed', 'how'],
    ...loads.map(({ name, load }) => [
      name,
      load.requests,
      load.failures.length,
      [...new Set(load.failures.map(({ kind, detail = '' }) => `${kind} ${detail}`))].join(', '),
    ]),
  ]);
  for (const { load } of loads) printFailures(load.failures.slice(0, 5));
  if (!stayed) console.log(`  the process of Python did not stay: ${before} became ${after}`);
  const isLost = loads.some(({ load }) => load.failures.length > 0 || load.requests === 0);
  process.exitCode = isLost || !stayed ? 1 : 0;
} finally {
  home.dispose();
}

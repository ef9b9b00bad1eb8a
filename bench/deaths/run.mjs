// Kills the daemon with SIGKILL at random moments, at rest and in the middle of commands, while apps are under load: a
// Node app on two processes, one of Python, and as root a Node app of another user.
// node bench/deaths/run.mjs [--kills n] [--failures]; exit code 1 if a request failed, a line was lost, or a process is there twice, too
// many, not the same as before, or counted as restarted; or if a helper of a dead daemon is left, or anything after `nsv kill`.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Load } from '../loss/client.mjs';
import { printFailures } from '../loss/report.mjs';
import { listened } from '../loss/stage.mjs';
import { createHome, freePort, launcher, printTable, processesOf } from '../measure.mjs';
import { census, helpers, lineProblems } from './census.mjs';

const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, failures: { type: 'boolean', default: false } },
});
const home = createHome();
const [port, pythonPort, foreignPort] = [await freePort(), await freePort(), await freePort()];
/** Only root can start an app as another user, who has to be able to read it. */
const hasForeign = process.getuid() === 0 && (await isReadableByNobody(file('web.mjs')));
const foreign = `foreign-${process.pid}`;
const apps = ['web', 'python', ...(hasForeign ? [foreign] : [])];
const env = {
  ...home.env,
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  PORT: String(port),
  PYTHON_PORT: String(pythonPort),
};

/** Never rejects: a command whose daemon was killed fails. */
const run = (...words) =>
  new Promise((resolve) =>
    execFile(launcher, words, { env }, (error, stdout) => resolve({ code: error?.code ?? 0, stdout })),
  );
const list = async () => {
  const { code, stdout } = await run('list', '--json');
  return code === 0 ? JSON.parse(stdout) : [];
};

/** What the daemon is doing when it dies, which processes may be others afterwards, and how long it takes at most. */
const acts = [
  { name: 'idle', begin: async () => {}, keeps: () => true, within: 100 },
  { name: 'reload', begin: () => run('reload', 'web'), keeps: ({ name }) => name !== 'web', within: 1_000 },
  { name: 'scale up', begin: () => run('scale', 'web', '3'), keeps: () => true, within: 400 },
  ...(hasForeign
    ? [
        {
          name: 'foreign reload',
          begin: () => run('reload', foreign),
          keeps: ({ name }) => name !== foreign,
          within: 1_000,
        },
      ]
    : []),
  { name: 'rotation', begin: () => run('logs', 'rotate', 'all'), keeps: () => true, within: 300 },
  { name: 'scale down', begin: () => run('scale', 'web', '2'), keeps: ({ slot }) => slot < 2, within: 400 },
];

async function kill(act) {
  const before = await list();
  const done = act.begin();
  const moment = Math.round(Math.random() * act.within);
  await after(moment);
  const dead = home.daemonPid();
  const begin = performance.now();
  process.kill(dead, 'SIGKILL');
  while (!(await isServed(dead))) await after(5);
  const adopted = Math.round(performance.now() - begin);
  await done;
  const settled = await settle();
  return { moment, adopted, problems: [...compare(before, settled, act), ...compareWithSystem(settled)] };
}

/** Without a guard, which gives up after five deaths in a minute, the list has the next daemon started. */
async function isServed(dead) {
  return (await list()).length > 0 && home.daemonPid() !== dead;
}

/** What was half done is finished by the next daemon: until then processes come and go. */
async function settle() {
  for (const end = Date.now() + 20_000; ; await after(50)) {
    const views = await list();
    const isQuiet = views.every(({ status }) => status === 'online') && compareWithSystem(views).length === 0;
    if (isQuiet || Date.now() > end) return views;
  }
}

function compare(before, views, { keeps }) {
  const others = before.filter((one) => keeps(one) && !views.some(({ id, pid }) => id === one.id && pid === one.pid));
  const restarted = views.filter(({ restarts }) => restarts > 0);
  const down = views.filter(({ status }) => status !== 'online');
  return [
    ...others.map(({ name, slot }) => `${name} ${slot} is another process`),
    ...restarted.map(({ name, slot, restarts }) => `${name} ${slot} has ${restarts} restarts`),
    ...down.map(({ name, slot, status }) => `${name} ${slot} is ${status}`),
  ];
}

function compareWithSystem(views) {
  const found = helpers(home.home);
  const daemon = home.daemonPid();
  const left = found.filter(({ kind, parent }) => kind === 'broker' && parent !== daemon);
  const more = ['broker', 'keeper'].filter((kind) => found.filter((one) => one.kind === kind).length > 1);
  return [
    ...left.map(({ pid }) => `a broker of a dead daemon is left: ${pid}`),
    ...more.map((kind) => `more than one ${kind}`),
    ...apps.flatMap((app) => compareApp(app, views)),
  ];
}

function compareApp(app, views) {
  const known = views.filter(({ name }) => name === app).map(({ pid }) => pid);
  const real = census(home.home, app);
  const missing = known.filter((pid) => !real.includes(pid)).map((pid) => `${app}: ${pid} is not there`);
  return [...missing, ...real.filter((pid) => !known.includes(pid)).map((pid) => `${app}: ${pid} is one too many`)];
}

function isReadableByNobody(path) {
  return new Promise((resolve) => {
    execFile('setpriv', ['--reuid', 'nobody', '--clear-groups', 'test', '-r', path], (error) => resolve(!error));
  });
}

/** A load is bounded in time, so each death has its own: from before it until all is quiet again. */
async function underLoad(play) {
  const loads = [
    new Load({ host: '127.0.0.1', port }, { clients: 32, rate: 100 }),
    new Load({ host: '127.0.0.1', port: pythonPort }, { clients: 8, rate: 40 }),
    ...(hasForeign ? [new Load({ host: '127.0.0.1', port: foreignPort }, { clients: 8, rate: 40 })] : []),
  ];
  try {
    await after(300);
    const played = await play();
    const problems = loads.some(({ exhausted }) => exhausted) ? ['the load reached its bound before the end'] : [];
    return { ...played, problems: [...played.problems, ...problems], loads };
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
}

const rows = [];
const problems = [];
const failures = [];
let requests = 0;
try {
  await run('start', file('web.mjs'), '--name', 'web', '-i', '2', '--no-log-compress', '--log-keep', '1000');
  await run('start', file('web.py'), '--name', 'python');
  if (hasForeign) await run('start', file('web.mjs'), '--name', foreign, '--uid', 'nobody', '--', String(foreignPort));
  for (const each of [port, pythonPort, ...(hasForeign ? [foreignPort] : [])])
    await listened({ host: '127.0.0.1', port: each });
  for (let kills = 0; kills < Number(values.kills); kills += 1) {
    const act = acts[kills % acts.length];
    const { moment, adopted, problems: found, loads } = await underLoad(() => kill(act));
    const failed = loads.flatMap((load) => load.failures);
    rows.push([
      kills + 1,
      act.name,
      `${moment} ms`,
      `${adopted} ms`,
      failed.length,
      found.join('; ') || 'as it should be',
    ]);
    requests += loads.reduce((sum, load) => sum + load.requests, 0);
    failures.push(...failed);
    problems.push(...found);
  }
} finally {
  await run('kill');
  const left = [...processesOf(home.home), ...apps.flatMap((app) => census(home.home, app))];
  problems.push(...left.map((pid) => `left after nsv kill: ${pid}`));
  problems.push(...lineProblems(join(home.home, 'logs'), 'web'));
  if (problems.length > 0)
    console.log(readFileSync(join(home.home, 'daemon.log'), 'utf8').split('\n').slice(-40).join('\n'));
  home.dispose();
}

function kindsOf(failed) {
  const kinds = [...new Set(failed.map(({ kind }) => kind))];
  const counts = kinds.map((kind) => `${failed.filter((one) => one.kind === kind).length} ${kind}`);
  return counts.length > 0 ? `: ${counts.join(', ')}` : '';
}

printTable('deaths of the daemon, by SIGKILL, under load', [
  ['', 'during', 'killed after', 'next one answers', 'failed', 'processes'],
  ...rows,
]);
console.log(`\n${requests} requests, ${failures.length} failed${kindsOf(failures)}`);
if (values.failures) printFailures(failures);
for (const problem of problems) console.log(problem);
process.exitCode = failures.length + problems.length > 0 ? 1 : 0;

// How long starts take: of many programs from one config file, until all of them run and until the command is back; of one app until it
// answers; and of four processes until all listen. Against the same programs without nsv, in turn.
//   node bench/starts.mjs [rounds] [--append file]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createHome, freePort, launcher, root } from './measure.mjs';
import { benchmark } from './rows.mjs';

const { positionals, record, print } = benchmark();
const rounds = Number(positionals[0] ?? 5);
const apps = 50;
const home = createHome();
const at = (name) => join(home.home, name);
const begun = at('begun');

/** Each program writes one byte to this file as soon as it runs, a server as soon as it listens. */
writeFileSync(at('idle.cjs'), `require('node:fs').appendFileSync(process.argv[2], 'x'); setInterval(() => {}, 1e9);\n`);
writeFileSync(at('sleeps.sh'), '#!/bin/sh\nprintf x >>"$1"\nexec sleep 600\n', { mode: 0o755 });
writeFileSync(
  at('server.cjs'),
  `const { appendFileSync } = require('node:fs');
const server = require('node:http').createServer((_, response) => response.end('ok'));
server.listen(Number(process.env.PORT), () => appendFileSync(process.env.BEGUN, 'x'));
`,
);

const programs = {
  sleepers: { bare: [at('sleeps.sh'), begun], config: { script: at('sleeps.sh'), args: [begun] } },
  idle: { bare: [process.execPath, at('idle.cjs'), begun], config: { script: at('idle.cjs'), args: [begun] } },
};

const now = () => performance.now();

async function until(isTrue) {
  for (const end = now() + 60_000; now() < end; await wait(1)) if (await isTrue()) return now();
  throw new Error('it took more than a minute');
}

const allRun = (count) => until(() => existsSync(begun) && statSync(begun).size === count);

/** Milliseconds until all run. */
async function bare([program, ...args]) {
  rmSync(begun, { force: true });
  const from = now();
  const children = Array.from({ length: apps }, () => spawn(program, args, { stdio: 'ignore' }));
  const run = (await allRun(apps)) - from;
  await end(children);
  return run;
}

async function end(children) {
  const ends = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill();
  await Promise.all(ends);
}

async function nsv(words, env = {}) {
  const child = spawn(launcher, words, { env: { ...home.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`nsv ${words.join(' ')} ended with ${code}`);
}

/** Milliseconds until all run, and until the command is back. */
async function fromConfig(config) {
  rmSync(begun, { force: true });
  const names = Array.from({ length: apps }, (_, index) => ({ name: `app${index}`, ...config }));
  writeFileSync(at('apps.json'), JSON.stringify({ apps: names }));
  const from = now();
  const back = nsv(['start', at('apps.json')]).then(() => now() - from);
  const run = (await allRun(apps)) - from;
  const result = [run, await back];
  await nsv(['delete', 'all']);
  return result;
}

const answers = (port) =>
  new Promise((resolve) => {
    get({ port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume().on('end', () => resolve(true));
    }).on('error', () => resolve(false));
  });

/** Milliseconds until the server answers at a port and `count` processes listen there. `start` returns what stops them. */
async function served(count, start) {
  const env = { PORT: String(await freePort()), BEGUN: begun };
  rmSync(begun, { force: true });
  const from = now();
  const stop = start(env);
  await until(() => answers(env.PORT));
  const took = (await allRun(count)) - from;
  await stop();
  return took;
}

function bareServer(...words) {
  return (env) => {
    const child = spawn(process.execPath, words, { env: { ...process.env, ...env }, stdio: 'ignore' });
    return () => end([child]);
  };
}

function nsvServer(...words) {
  return (env) => {
    const back = nsv(['start', at('server.cjs'), ...words], env);
    return async () => {
      await back;
      await nsv(['delete', 'server']);
    };
  };
}

const one = bareServer(at('server.cjs'));
const cluster = bareServer(join(root, 'bench', 'cluster-app.mjs'), at('server.cjs'), '4', 'rr');

try {
  // So that the daemon runs, and code is cached.
  await served(1, nsvServer());
  // These are short, so that a few pairs would tell of the machine alone.
  for (let round = 0; round < 3 * rounds; round += 1) {
    record('one', await served(1, one), await served(1, nsvServer()));
    record('four', await served(4, cluster), await served(4, nsvServer('-i', '4')));
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [row, { bare: words, config }] of Object.entries(programs)) {
      const floor = await bare(words);
      const [run, back] = await fromConfig(config);
      record(row, floor, run);
      record(`${row}-back`, floor, back);
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    home.end();
    record('one-cold', await served(1, one), await served(1, nsvServer()));
  }
  print();
} finally {
  home.dispose();
}

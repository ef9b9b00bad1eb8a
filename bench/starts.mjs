// How long starts take: of many programs from one config file, until all of them run and until the command is back, and of one app until
// it answers; against the same programs without nsv, in turn.
//   node bench/starts.mjs [rounds] [apps]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createHome, freePort, launcher, median, printTable } from './measure.mjs';

const rounds = Number(process.argv[2] ?? 5);
const apps = Number(process.argv[3] ?? 50);
const home = createHome();
const at = (name) => join(home.home, name);
const begun = at('begun');

/** Each program writes one byte to this file as soon as it runs. */
writeFileSync(at('idle.cjs'), `require('node:fs').appendFileSync(process.argv[2], 'x'); setInterval(() => {}, 1e9);\n`);
writeFileSync(at('sleeps.sh'), '#!/bin/sh\nprintf x >>"$1"\nexec sleep 600\n', { mode: 0o755 });
writeFileSync(
  at('server.cjs'),
  `require('node:http').createServer((_, response) => response.end('ok')).listen(Number(process.argv[2]));\n`,
);

const programs = {
  'sleeping programs': { bare: [at('sleeps.sh'), begun], config: { script: at('sleeps.sh'), args: [begun] } },
  'idle Node apps': {
    bare: [process.execPath, at('idle.cjs'), begun],
    config: { script: at('idle.cjs'), args: [begun] },
  },
};

const now = () => performance.now();

async function until(isTrue) {
  for (const end = now() + 60_000; now() < end; await wait(1)) if (await isTrue()) return now();
  throw new Error('it took more than a minute');
}

const allRun = () => until(() => existsSync(begun) && statSync(begun).size === apps);

async function bare([program, ...args]) {
  rmSync(begun, { force: true });
  const from = now();
  const children = Array.from({ length: apps }, () => spawn(program, args, { stdio: 'ignore' }));
  const run = (await allRun()) - from;
  const ends = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(ends);
  return run;
}

function nsv(...words) {
  return once(spawn(launcher, words, { env: home.env, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
}

async function started(config) {
  rmSync(begun, { force: true });
  const names = Array.from({ length: apps }, (_, index) => ({ name: `app${index}`, ...config }));
  writeFileSync(at('apps.json'), JSON.stringify({ apps: names }));
  const from = now();
  const back = nsv('start', at('apps.json')).then(() => now() - from);
  const run = (await allRun()) - from;
  const result = [run, await back];
  await nsv('delete', 'all');
  return result;
}

const answers = (port) =>
  new Promise((resolve) => {
    get({ port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume().on('end', () => resolve(true));
    }).on('error', () => resolve(false));
  });

async function bareAnswer() {
  const port = await freePort();
  const from = now();
  const child = spawn(process.execPath, [at('server.cjs'), port], { stdio: 'ignore' });
  const took = (await until(() => answers(port))) - from;
  child.kill('SIGKILL');
  await once(child, 'exit');
  return took;
}

async function appAnswer() {
  const port = await freePort();
  const from = now();
  const back = nsv('start', at('server.cjs'), '--name', 'server', '--', String(port));
  const took = (await until(() => answers(port))) - from;
  await back;
  await nsv('delete', 'server');
  return took;
}

const ms = (values) => median(values).toFixed(0);
const ratio = (values, floors) => median(values.map((value, index) => value / floors[index])).toFixed(1);

try {
  await nsv('start', at('server.cjs'), '--name', 'first', '--', String(await freePort()));
  const rows = [['', 'bare', 'all run', 'ratio', 'command back']];
  for (const [name, { bare: words, config }] of Object.entries(programs)) {
    const floors = [];
    const runs = [];
    const backs = [];
    for (let round = 0; round < rounds; round += 1) {
      floors.push(await bare(words));
      const [run, back] = await started(config);
      runs.push(run);
      backs.push(back);
    }
    rows.push([`${apps} ${name}`, ms(floors), ms(runs), ratio(runs, floors), ms(backs)]);
  }
  const floors = [];
  const takes = [];
  for (let round = 0; round < 2 * rounds; round += 1) {
    floors.push(await bareAnswer());
    takes.push(await appAnswer());
  }
  rows.push(['one app until it answers', ms(floors), ms(takes), ratio(takes, floors), '']);
  printTable(`milliseconds, median of ${rounds} rounds in turn, daemon running`, rows);
} finally {
  home.dispose();
}

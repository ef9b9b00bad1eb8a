// What one daemon takes for many apps: each a program that sleeps, all from one config file. The time of each command, how long others
// wait while it runs, and the daemon's memory.
//   node bench/many.mjs [--apps 1,10,100,300,1000] [--rounds 3] [--append file]
// --append: adds a line of JSON for each round to this file
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after, setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect } from 'nsv';
import { createHome, launcher, median, printTable, pss, settled, startBareNode, wallTime } from './measure.mjs';

const { values } = parseArgs({
  options: {
    apps: { type: 'string', default: '1,10,100,300,1000' },
    rounds: { type: 'string', default: '3' },
    append: { type: 'string' },
  },
});
const counts = values.apps.split(',').map(Number);
const rounds = Number(values.rounds);

const now = () => performance.now();

/** Asks the daemon again and again. `end` resolves with the milliseconds that the slowest answer has taken. */
async function asker(home) {
  const nsv = await connect({ home, launch: false });
  let slowest = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const from = now();
      await nsv.ping();
      slowest = Math.max(slowest, now() - from);
      await after(5);
    }
  })();
  return {
    async end() {
      isOver = true;
      await asking;
      await nsv.close();
      return slowest;
    },
  };
}

async function measure(apps) {
  const { home, env, nsv, daemonPid, dispose } = createHome();
  const config = join(home, 'apps.json');
  const programs = Array.from({ length: apps }, (_, at) => ({ name: `app${at}`, script: '/bin/sleep', args: ['600'] }));
  writeFileSync(config, JSON.stringify({ apps: programs }));
  const result = { apps, node: process.versions.node };

  /** Milliseconds of a command. Unlike `nsv`, it does not hold up what asks beside it. */
  async function timed(...words) {
    const from = now();
    const [code] = await once(spawn(launcher, words, { env, stdio: 'ignore' }), 'exit');
    if (code !== 0) throw new Error(`nsv ${words.join(' ')} ended with ${code}`);
    return now() - from;
  }

  /** The same, and how long a question of another client has taken at most meanwhile. */
  async function heldUp(name, ...words) {
    const beside = await asker(home);
    result[name] = await timed(...words);
    result[`${name}Holds`] = await beside.end();
  }

  try {
    result.floor = await bareStarts(apps);
    nsv('start', '/bin/sleep', '--name', 'first', '--no-wait', '--', '600');
    nsv('delete', 'first');
    await heldUp('start', 'start', config);
    const bare = await startBareNode(home);
    await settled(daemonPid());
    result.memory = { daemon: pss(daemonPid()), bare: pss(bare.pid) };
    bare.kill('SIGKILL');
    const lists = [];
    for (let times = 0; times < 5; times += 1) {
      lists.push({
        node0: wallTime(process.execPath, ['-e', '0']),
        list: await timed('list'),
        jlist: await timed('jlist'),
      });
    }
    for (const name of ['node0', 'list', 'jlist']) result[name] = median(lists.map((times) => times[name]));
    await heldUp('save', 'save');
    await heldUp('restart', 'restart', 'all');
    await heldUp('reload', 'reload', 'all');
    result.adoption = await adopted(daemonPid, () => timed('list'));
    result.update = await timed('update');
    await heldUp('stop', 'stop', 'all');
    await heldUp('startAgain', 'start', 'all');
    result.kill = await timed('kill');
    result.resurrect = await timed('resurrect');
  } finally {
    dispose();
  }
  return result;
}

/** Milliseconds to spawn as many programs without nsv. */
async function bareStarts(apps) {
  const from = now();
  const children = [];
  for (let at = 0; at < apps; at += 1) {
    children.push(spawn('/bin/sleep', ['600'], { stdio: 'ignore', detached: true }));
    await nextTurn();
  }
  const took = now() - from;
  const ends = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(ends);
  return took;
}

/** Milliseconds from the death of the daemon until the next one has answered `list`. */
async function adopted(daemonPid, list) {
  const dead = daemonPid();
  process.kill(dead, 'SIGKILL');
  const from = now();
  while (daemonPid() === dead) await after(1);
  await list();
  return now() - from;
}

const results = [];
for (let round = 0; round < rounds; round += 1) {
  for (const apps of counts) {
    const result = await measure(apps);
    results.push(result);
    if (values.append) appendFileSync(values.append, `${JSON.stringify(result)}\n`);
  }
}

const of = (apps, value) => median(results.filter((result) => result.apps === apps).map(value));
const ms = (apps, name) => of(apps, (result) => result[name]).toFixed(0);
const row = (title, cell) => [title, ...counts.map(cell)];
printTable(`Node ${process.versions.node}, milliseconds, median of ${rounds} rounds`, [
  ['apps', ...counts],
  row('bare spawns', (apps) => ms(apps, 'floor')),
  row('node -e 0', (apps) => ms(apps, 'node0')),
  ...[
    'start',
    'list',
    'jlist',
    'save',
    'restart',
    'reload',
    'adoption',
    'update',
    'stop',
    'startAgain',
    'kill',
    'resurrect',
  ].map((name) => row(name, (apps) => ms(apps, name))),
  ...['start', 'save', 'restart', 'reload', 'stop', 'startAgain'].map((name) =>
    row(`${name}: others wait`, (apps) => ms(apps, `${name}Holds`)),
  ),
  row('memory, kB of PSS', (apps) => of(apps, ({ memory }) => memory.daemon)),
  row('of a bare Node', (apps) => of(apps, ({ memory }) => memory.bare)),
]);

// What `nsv run` adds to a container: memory of everything that runs, against the bare app. PSS shares out what all
// processes of one Node have in common, also with those outside of the container: what a process has for itself does not.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, freePort, launcher, median, ownMemory, printTable, pss, root, startReady } from './measure.mjs';

const rounds = Number(process.argv[2] ?? 5);
const app = join(root, 'examples', 'hello.js');
const home = createHome();
const rows = { bare: [], app: [], nsv: [] };
try {
  for (let round = 0; round < rounds; round += 1) {
    rows.bare.push(await measured(process.execPath, [app], figures));
    await measured(launcher, ['run', app, '--'], (pid) => {
      rows.nsv.push(figures(pid));
      rows.app.push(figures(childOf(pid)));
    });
  }
  const line = (title, row) => [title, ...[0, 1].map((column) => median(row.map((each) => each[column])))];
  const sums = rows.app.map((each, round) => each.map((kB, column) => kB + rows.nsv[round][column]));
  printTable(`memory in kB, Node ${process.versions.node}, median of ${rounds}`, [
    ['', 'PSS', 'its own'],
    line('node hello.js', rows.bare),
    line('nsv run hello.js: the app', rows.app),
    line('nsv run hello.js: nsv', rows.nsv),
    line('nsv run hello.js: both', sums),
  ]);
} finally {
  home.dispose();
}

function figures(pid) {
  return [pss(pid), ownMemory(pid)];
}

/** Runs the program with a port behind its words until it has rested for a second. */
async function measured(program, words, look) {
  const child = await startReady(program, [...words, String(await freePort())], { env: { ...home.env, ...path() } });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const result = look(child.pid);
  child.removeAllListeners('exit');
  child.kill('SIGTERM');
  await once(child, 'exit');
  return result;
}

/** The Node that runs this is the one to measure. */
function path() {
  return { NSV_NODE: process.execPath, PATH: `${join(process.execPath, '..')}:${process.env.PATH}` };
}

function childOf(pid) {
  return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10);
}

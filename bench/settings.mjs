// How soon all processes of an app have a changed runtime setting: from the call to the last process, and from the first process that
// has it to the last one. Both include two questions to each process, and one write of the state to the disk.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHome, median, printTable, root } from './measure.mjs';

const count = Number(process.argv[2] ?? 100);
const rounds = Number(process.argv[3] ?? 20);
const { home, nsv, dispose } = createHome();
const app = join(home, 'app');
mkdirSync(join(app, 'node_modules'), { recursive: true });
symlinkSync(root, join(app, 'node_modules', 'nsv'));
const seen = join(home, 'seen');
writeFileSync(
  join(app, 'app.cjs'),
  `const { appendFileSync } = require('node:fs');
   const { settings } = require('nsv/app');
   const now = () => performance.timeOrigin + performance.now();
   settings.on('change', (_, { version }) => {
     const at = now();
     appendFileSync(${JSON.stringify(seen)}, version + ' ' + at + '\\n');
   });
   setInterval(() => {}, 60_000);`,
);

try {
  nsv('start', join(app, 'app.cjs'), '--name', 'web', '-i', String(count), '--min-uptime', '50ms');
  const { connect } = createRequire(import.meta.url)(join(root, 'dist', 'api', 'index.js'));
  const client = await connect({ home, launch: false });
  const rows = [];
  for (let round = 1; round <= rounds; round += 1) {
    const began = performance.timeOrigin + performance.now();
    const [{ version, processes }] = await client.changeRuntimeSettings('web', { set: { round } });
    const times = await timesOf(version);
    if (processes.some((process) => process.version !== version)) throw new Error('not all have confirmed it in time');
    rows.push({ all: Math.max(...times) - began, spread: Math.max(...times) - Math.min(...times) });
  }
  await client.close();
  const figures = (key) => [median(rows.map((row) => row[key])), Math.max(...rows.map((row) => row[key]))];
  printTable(`${count} processes, ${rounds} changes: milliseconds`, [
    ['', 'median', 'most'],
    ['from the call to the last process', ...figures('all').map((ms) => ms.toFixed(1))],
    ['from the first process to the last', ...figures('spread').map((ms) => ms.toFixed(1))],
  ]);
} finally {
  dispose();
  rmSync(home, { recursive: true, force: true });
}

/** A process confirms a version before it calls its handlers. */
async function timesOf(version) {
  for (let looks = 0; looks < 1_000; looks += 1, await sleep(5)) {
    const lines = readFileSync(seen, 'utf8').trim().split('\n');
    const times = lines.filter((line) => line.startsWith(`${version} `)).map((line) => Number(line.split(' ')[1]));
    if (times.length === count) return times;
  }
  throw new Error(`not all processes have called their handlers for version ${version}`);
}

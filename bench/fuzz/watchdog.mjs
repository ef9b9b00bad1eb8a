// Ends this process if a case keeps it from ever getting to the next one: a loop without an end can be seen only from another thread.
import { Worker } from 'node:worker_threads';

/** Milliseconds without a new case. */
const timeout = 180_000;

const source = `
const { workerData: { cell, timeout } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
let [last, since] = [-1, Date.now()];
setInterval(() => {
  const now = Atomics.load(cell, 0);
  if (now !== last) [last, since] = [now, Date.now()];
  if (Date.now() - since < timeout) return;
  writeSync(1, 'case ' + now + ': it does not end\\n');
  process.kill(process.pid, 'SIGKILL');
}, 1_000);
`;

/** Returns a function to call with the number of each case. */
export function startWatchdog() {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  new Worker(source, { eval: true, workerData: { cell, timeout } }).unref();
  return (index) => Atomics.store(cell, 0, index);
}

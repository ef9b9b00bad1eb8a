// What all benchmarks share: homes, medians, and figures from /proc.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

// Node 20 reads these when it starts, which takes longer than all else that it does then. npm may need them behind a proxy.
export const { NODE_EXTRA_CA_CERTS: certificates = '' } = process.env;
delete process.env.NODE_EXTRA_CA_CERTS;

export const root = fileURLToPath(new URL('..', import.meta.url));
export const launcher = join(root, 'bin', 'nsv');

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** A home of its own; `nsv(...)` runs the command line in it. */
export function createHome() {
  const home = mkdtempSync(join(tmpdir(), 'nsv-bench-'));
  const env = { ...process.env, NSV_HOME: home, NSV_NODE: process.execPath };
  const nsv = (...words) =>
    execFileSync(launcher, words, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  /** All of it; the files stay. */
  const end = () => {
    nsv('kill');
    while (processesOf(home).length > 0) wallTime('sleep', ['0.02']);
  };
  return {
    home,
    env,
    nsv,
    daemonPid: () => Number.parseInt(readFileSync(join(home, 'daemon.pid'), 'utf8'), 10),
    end,
    dispose() {
      end();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The pids of all that belongs to a home, by their environments. */
export function processesOf(home) {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`NSV_HOME=${home}`);
    } catch {
      return false;
    }
  });
}

/** Wall time of a program, milliseconds. */
export function wallTime(program, args, env = process.env) {
  const begin = process.hrtime.bigint();
  const { status } = spawnSync(program, args, { env, stdio: 'ignore' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`);
  return Number(process.hrtime.bigint() - begin) / 1e6;
}

/** CPU time of a process so far, in clock ticks (of 10 ms almost everywhere). */
export function cpuTicks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Milliseconds of CPU time of all threads of a process so far. */
export function cpuTime(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ran = (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return threads.reduce((sum, thread) => sum + ran(thread), 0) / 1e6;
}

/** Proportional set size, kilobytes: what Node shares with other processes of Node is divided among them. */
export function pss(pid) {
  return memory(pid, 'Pss');
}

/** Memory that the process has written itself, kilobytes: unlike PSS it does not move when other processes come and go. */
export function ownMemory(pid) {
  return memory(pid, 'Private_Dirty');
}

function memory(pid, kind) {
  return Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]);
}

/** Waits until a daemon has used no CPU for three seconds: some of what it does follows work by a second. */
export async function settled(pid) {
  for (let last = -1; last !== cpuTicks(pid); await after(3_000)) last = cpuTicks(pid);
}

/** What a daemon is compared with: Node that listens on a Unix socket in this home. Resolves with the child. */
export function startBareNode(home) {
  const code = "require('net').createServer().listen(process.argv[1], () => console.log('ready'))";
  return startReady(process.execPath, ['-e', code, join(home, 'bare.sock')]);
}

export function descriptors(pid) {
  return readdirSync(`/proc/${pid}/fd`).length;
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts a program that prints a line once it is ready; resolves with the child. */
export function startReady(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options });
  return new Promise((resolve, reject) => {
    child.stdout.once('data', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code} before it was ready`)));
  });
}

/** What benchmarks have appended to a file: a line of JSON each. */
export function appendedTo(file) {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** Prints rows under a headline, columns aligned. */
export function printTable(headline, rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  console.log(`\n${headline}`);
  for (const row of rows) console.log(`  ${row.map((cell, column) => String(cell).padEnd(widths[column])).join('  ')}`);
}

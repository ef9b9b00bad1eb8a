// Memory of the daemon: against a bare node that listens on a Unix socket, then for each managed process, be they instances
// of one app, apps of their own, or Node programs with a channel to the daemon; and its idle CPU.
import { join } from 'node:path';
import { cpuTicks, createHome, ownMemory, printTable, pss, root, settled, startBareNode } from './measure.mjs';

const count = Number(process.argv[2] ?? 300);
const nodes = Number(process.argv[3] ?? count);
const sleep = ['start', '/bin/sleep', '--no-wait'];

const loads = [
  [`${count} instances of sleep`, count, (nsv) => nsv(...sleep, '--name', 'many', '-i', String(count), '--', '600')],
  [`${count} apps of one sleep`, count, startApps],
  [`${nodes} instances of a Node server`, nodes, startNodes],
];
const rows = [];
for (const [name, processes, start] of loads) rows.push(await measure(name, processes, start));
printTable('the daemon, kB of PSS; with Node programs, which share memory with it, of its own', [
  ['', 'bare node', 'daemon', 'ratio', 'more for each process', 'ticks of CPU in 20 s'],
  ...rows,
]);

function startApps(nsv) {
  for (let app = 0; app < count; app += 1) nsv(...sleep, '--name', `app${app}`, '--', '600');
}

function startNodes(nsv) {
  nsv('start', join(root, 'examples', 'hello.js'), '--name', 'web', '-i', String(nodes), '--', '0');
}

async function measure(name, processes, start) {
  const { home, nsv, daemonPid, dispose } = createHome();
  const bare = await startBareNode(home);
  try {
    nsv(...sleep, '--name', 'first', '--', '600');
    const pid = daemonPid();
    const memory = start === startNodes ? ownMemory : pss;
    await settled(pid);
    const floor = pss(bare.pid);
    const ratio = (pss(pid) / floor).toFixed(2);
    const before = memory(pid);
    start(nsv);
    await settled(pid);
    const each = ((memory(pid) - before) / processes).toFixed(1);
    const ticks = cpuTicks(pid);
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    return [name, floor, before, ratio, each, cpuTicks(pid) - ticks];
  } finally {
    bare.kill('SIGKILL');
    dispose();
  }
}

// Memory of the daemon with apps of one program each, and of a small app, against bare node, in turn. Then for each managed process, be
// they instances of one app or Node programs with a channel to the daemon; and the daemon's idle CPU.
//   node bench/memory.mjs [rounds] [processes] [--append file]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cpuTicks,
  createHome,
  ownMemory,
  printTable,
  pss,
  root,
  settled,
  startBareNode,
  startReady,
} from './measure.mjs';
import { benchmark } from './rows.mjs';

const { positionals, record, print } = benchmark();
const [rounds = 3, count = 300] = positionals.map(Number);
const hello = join(root, 'examples', 'hello.js');
const sleep = ['start', '/bin/sleep', '--no-wait'];

for (let round = 0; round < rounds; round += 1) {
  await measureApps();
  await measureSmallApp();
}
print();
const loads = [
  [`${count} instances of sleep`, pss, (nsv) => nsv(...sleep, '--name', 'many', '-i', String(count), '--', '600')],
  // Node programs share memory with the daemon: its PSS would shrink.
  [
    `${count} instances of a Node server`,
    ownMemory,
    (nsv) => nsv('start', hello, '--name', 'web', '-i', String(count), '--', '0'),
  ],
];
const table = [];
for (const load of loads) table.push(await measureProcesses(...load));
printTable('the daemon, kB', [['', 'before', 'more for each process', 'ticks of CPU in 20 s'], ...table]);

async function measureApps() {
  const { home, nsv, daemonPid, dispose } = createHome();
  const bare = await startBareNode(home);
  try {
    nsv(...sleep, '--name', 'first', '--', '600');
    nsv('delete', 'first');
    for (const [apps, more] of [
      [0, 0],
      [100, 100],
      [300, 200],
    ]) {
      if (more > 0) nsv('start', configOf(home, apps, more), '--no-wait');
      await settled(daemonPid());
      record(`daemon-${apps}`, pss(bare.pid), pss(daemonPid()));
    }
  } finally {
    bare.kill('SIGKILL');
    dispose();
  }
}

function configOf(home, apps, more) {
  const file = join(home, 'apps.json');
  const programs = Array.from({ length: more }, (_, at) => ({
    name: `app${apps - at}`,
    script: '/bin/sleep',
    args: ['600'],
  }));
  writeFileSync(file, JSON.stringify({ apps: programs }));
  return file;
}

async function measureSmallApp() {
  const { home, nsv, daemonPid, dispose } = createHome();
  const app = join(home, 'app.cjs');
  writeFileSync(app, "require('node:http').createServer().listen(0, () => console.log('ready'));\n");
  const bare = await startReady(process.execPath, [app]);
  try {
    nsv('start', app);
    await settled(daemonPid());
    const [{ pid }] = JSON.parse(nsv('jlist'));
    record('app', ownMemory(bare.pid), ownMemory(pid));
  } finally {
    bare.kill('SIGKILL');
    dispose();
  }
}

async function measureProcesses(name, memory, start) {
  const { nsv, daemonPid, dispose } = createHome();
  try {
    nsv(...sleep, '--name', 'first', '--', '600');
    const pid = daemonPid();
    await settled(pid);
    const before = memory(pid);
    start(nsv);
    await settled(pid);
    const each = ((memory(pid) - before) / count).toFixed(1);
    const ticks = cpuTicks(pid);
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    return [name, before, each, cpuTicks(pid) - ticks];
  } finally {
    dispose();
  }
}

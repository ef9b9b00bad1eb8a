// nsv and node:cluster behind one interface: start, reload, scale, pids (of workers that serve), dispose. Only nsv has restart.
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { createHome, launcher, root } from '../measure.mjs';

const commandTime = 180_000;

/** The launcher takes `node` from the PATH: the Node that runs this runs all the rest. */
const path = `${dirname(process.execPath)}:${process.env.PATH}`;

/** `neighbours`: how many other apps of one process are started before, without load. */
export function underNsv({ script, folder, instances, env, options = [], neighbours = 0 }) {
  const home = createHome();
  // Not createHome's nsv(): it blocks, and the load would stand still just while the reload goes on.
  const run = (...words) =>
    new Promise((resolve) => {
      const settings = { cwd: folder, env: { ...home.env, PATH: path, ...env }, timeout: commandTime };
      execFile(launcher, words, settings, (error, stdout, stderr) =>
        resolve({ code: error ? (error.code ?? 1) : 0, stdout, stderr }),
      );
    });
  const processes = async () => JSON.parse((await run('list', '--json')).stdout);
  return {
    async start() {
      if (neighbours > 0) expectDone(await run('start', configOf(neighbours, script, folder)));
      expectDone(await run('start', script, '--name', 'web', '-i', String(instances), ...options));
    },
    reload: () => run('reload', 'web'),
    restart: () => run('restart', 'all'),
    scale: (count) => run('scale', 'web', String(count)),
    pids: async () => (await processes()).filter(({ status }) => status === 'online').map(({ pid }) => pid),
    /** How its processes have ended so far: exit codes, or names of signals. */
    ends() {
      const lines = readFileSync(join(home.home, 'daemon.log'), 'utf8').trim().split('\n');
      const facts = lines.map((line) => JSON.parse(line));
      return facts.filter(({ msg }) => msg === 'exit').map(({ exit }) => exit.signal ?? exit.code);
    },
    dispose: () => home.dispose(),
  };
}

/** Each listens on any free port. */
function configOf(count, script, folder) {
  const file = join(folder, 'neighbours.json');
  const apps = Array.from({ length: count }, (_, at) => ({ name: `neighbour${at}`, script, env: { PORT: '0' } }));
  writeFileSync(file, JSON.stringify({ apps }));
  return file;
}

function expectDone({ code, stderr }) {
  if (code !== 0) throw new Error(`nsv start ended with ${code}: ${stderr}`);
}

export function underCluster({ script, instances, env, way = 'disconnect' }) {
  const primary = fork(join(root, 'bench', 'loss', 'cluster-primary.mjs'), [script, String(instances), way], {
    env: { ...process.env, ...env },
    // Workers that throw, or find their channel closed, say so at length.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  primary.setMaxListeners(0);
  let last = 0;
  const call = (action, argument) =>
    new Promise((resolve, reject) => {
      primary.once('exit', () => reject(new Error('the primary of the cluster is gone')));
      last += 1;
      const id = last;
      const listen = (message) => {
        if (message.id !== id) return;
        primary.off('message', listen);
        resolve(message.result);
      };
      primary.on('message', listen);
      primary.send({ id, action, argument });
    });
  const done = async (promise) => {
    await promise;
    return { code: 0, stderr: '' };
  };
  return {
    start: () => call('start'),
    reload: () => done(call('reload')),
    scale: (count) => done(call('scale', count)),
    pids: () => call('pids'),
    async dispose() {
      if (!primary.connected) return;
      const gone = once(primary, 'exit');
      primary.disconnect();
      await gone;
    },
  };
}

/** Waits until `count` workers serve and none of them is `without`. */
export async function whole(supervisor, count, without) {
  const end = Date.now() + 30_000;
  while (Date.now() < end) {
    const pids = await supervisor.pids();
    if (pids.length === count && !pids.includes(without)) return pids;
    await after(100);
  }
  throw new Error(`there are still not ${count} workers that serve`);
}

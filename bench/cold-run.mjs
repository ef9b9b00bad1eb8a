// How long a container takes until its app answers: `nsv run` of one app, in a home that is new, used or read-only, beside bare Node,
// in turn. Needs root.
//   node bench/cold-run.mjs [rounds] [--append file]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort, launcher } from './measure.mjs';
import { benchmark } from './rows.mjs';

const { positionals, record, print } = benchmark();
const rounds = Number(positionals[0] ?? 15);
/** Another launcher to measure, of an earlier build. */
const program = process.env.NSV ?? launcher;
const directory = mkdtempSync(join(tmpdir(), 'nsv-bench-'));
const app = join(directory, 'server.cjs');
writeFileSync(
  app,
  `require('node:http').createServer((_, response) => response.end('ok')).listen(process.env.PORT);\n`,
);

/** Whether somebody answers. Asking costs little, or it would slow down what is measured: a connection first. */
const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.0\r\n\r\n'));
    socket.on('data', () => {
      resolve(true);
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
  });

/** Milliseconds until the app answers. */
async function served(words, home) {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), NSV_NODE: process.execPath, NSV_HOME: home };
  const from = performance.now();
  const child = spawn(words[0], words.slice(1), { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${words.join(' ')} ended with ${child.exitCode}`);
    await wait(2);
  }
  const took = performance.now() - from;
  child.kill();
  await ended;
  return took;
}

const bare = [process.execPath, app];
const run = [program, 'run', app];
const used = join(directory, 'used');
const readOnly = join(directory, 'read-only');
/** Root's copy of the package is in /run: in a new container there is none, and on a read-only file system there cannot be one. */
const mounting = (command) => ['unshare', '--mount', 'sh', '-c', `${command} && exec "$@"`, 'sh'];
const inNew = mounting('mount -t tmpfs none /run');
const onReadOnly = mounting(`mount -t tmpfs -o ro none ${readOnly} && mount -t tmpfs -o ro none /run`);

try {
  mkdirSync(readOnly);
  await served(run, used);
  for (let round = 0; round < rounds; round += 1) {
    const fresh = join(directory, `fresh-${round}`);
    record('run-used', await served(bare, used), await served(run, used));
    record('run-fresh', await served([...inNew, ...bare], fresh), await served([...inNew, ...run], fresh));
    record(
      'run-read-only',
      await served([...onReadOnly, ...bare], readOnly),
      await served([...onReadOnly, ...run], readOnly),
    );
  }
  print();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

// Draws the pictures of docs/ from the real output of the command line: `npm run build && npm run pictures`.
// One that shows the same words as before, with other pids and times, stays as it is; `--force` draws it anyway.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { screenOf } from './pictures/screen.mjs';
import { svgOf, textOf } from './pictures/svg.mjs';
import { Terminal, whyNoTerminal } from './pictures/terminal.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const isForced = process.argv.includes('--force');

/** Prints lines as a web app does, and is now more, now less busy. */
const busyApp = `const lines = ['GET / 200 23ms', 'GET /cart 200 30ms', 'GET /orders/17 200 42ms', 'POST /checkout 201 51ms'];
require('node:http').createServer((_, answer) => answer.end()).listen(process.env.PORT);
let count = Number(process.env.NSV_INSTANCE) * 2;
setInterval(() => {
  for (const end = Date.now() + 90 * Math.sin(count / 9) ** 2; Date.now() < end; );
  console.log(lines[count++ % lines.length]);
  if (count % 9 === 0) console.error('Error: connect ECONNREFUSED 127.0.0.1:5432');
}, 300);`;

const monitored = [
  { name: 'web', script: 'web.js', instances: 2, env: { PORT: 3000 } },
  { name: 'queue', script: 'queue.js' },
  { name: 'reports', script: 'reports.js' },
  { name: 'mailer', script: 'mailer.js' },
];

const whyNot = whyNoTerminal ?? whyNotBuilt() ?? (await whyNoPort(3000));
if (whyNot) {
  console.log(`the pictures stay as they are: ${whyNot}`);
} else {
  await inOwnHome(listAndReload);
  await inOwnHome(monit);
}

function whyNotBuilt() {
  return existsSync(join(root, 'dist', 'cli')) ? undefined : 'dist/ is missing (npm run build)';
}

function whyNoPort(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(`port ${port} is in use`));
    server.listen(port, () => server.close(() => resolve(undefined)));
  });
}

/** Plays a scene with a folder and a home of its own. */
async function inOwnHome(scene) {
  const folder = mkdtempSync(join(tmpdir(), 'nsv-picture-'));
  const path = [join(root, 'bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, NSV_HOME: join(folder, 'home'), TERM: 'xterm-256color', FORCE_COLOR: '1' };
  delete env.NO_COLOR;
  const nsv = (...words) => execFileSync('nsv', words, { cwd: root, env, encoding: 'utf8' });
  try {
    await scene({ folder, env, nsv });
  } finally {
    nsv('kill');
    rmSync(folder, { recursive: true });
  }
}

async function listAndReload({ nsv, env }) {
  nsv('start', 'examples/hello.js', '-i', '4');
  await drawCommand('list', 'nsv list', env);
  await drawCommand('reload', 'node bench/load.mjs http://localhost:3000 -- nsv reload hello', env);
}

async function drawCommand(name, command, env) {
  const terminal = new Terminal(command, { env, cwd: root });
  const code = await terminal.ended;
  if (code !== 0) throw new Error(`${command} ended with ${code}\n${terminal.output}`);
  draw(name, command, screenOf(`\x1b[90m$\x1b[39m ${command}\r\n${terminal.output.trimEnd()}`));
}

async function monit({ folder, env, nsv }) {
  const file = (name, text) => writeFileSync(join(folder, name), text);
  file('web.js', busyApp);
  file('queue.js', 'setInterval(() => {}, 1000);');
  file('reports.js', 'setInterval(() => {}, 1000);');
  file('mailer.js', 'throw new Error("no SMTP_URL");');
  file('nsv.config.json', JSON.stringify({ apps: monitored }));
  nsv('start', join(folder, 'nsv.config.json'), '--no-wait');
  nsv('stop', 'reports');
  const terminal = new Terminal('exec nsv monit', { env, columns: 96, rows: 26 });
  await terminal.shows((output) => /online/.test(output));
  terminal.type('\t'); // the logs of all
  // When everything has come to rest and there is something to see of the last seconds.
  await terminal.shows((output) => /errored/.test(output) && /online for 2\ds/.test(output));
  const { output } = terminal;
  terminal.type('q');
  await terminal.ended;
  draw('monit', 'nsv monit', screenOf(output));
}

function draw(name, title, screen) {
  const file = join(root, 'docs', `${name}.svg`);
  const svg = svgOf(title, screen);
  const isSame = existsSync(file) && wordsOf(readFileSync(file, 'utf8')) === wordsOf(svg);
  if (isForced || !isSame) writeFileSync(file, svg);
}

/** The words of a picture, each once: pids, times, figures and the order of log lines are different at each run. */
function wordsOf(svg) {
  return [...new Set(textOf(svg).match(/[A-Za-z]{3,}/g))].sort().join(' ');
}

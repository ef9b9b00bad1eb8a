// node bench/pm2/compare.mjs <pm2> [scene...]: runs the same command lines with PM2 and with nsv-pm2, and prints where exit
// codes, `jlist` or output differ. <pm2>: its executable. Each has a home and a directory of its own, which are removed.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { scenes } from './scenes.mjs';

const [pm2, ...wanted] = process.argv.slice(2);
if (!pm2) throw new Error('usage: node bench/pm2/compare.mjs <executable of PM2> [scene...]');

const root = resolve(import.meta.dirname, '../..');
/** Keys that differ by their nature, or that belong to services of PM2. */
const incomparable =
  /^(axm_.*|pmx|automation|vizion.*|versioning|km_link|unique_id|windowsHide|kill_retry_time|treekill|username|PM2_.*|PROGRAM|pm_uptime|created_at|prev_restart_delay|env|PATH|HOME|PWD|OLDPWD|SHLVL|LANG|_.*|NSV_.*|pm_id|NODE_APP_INSTANCE|instances|pm_(out|err)_log_path|pm_pid_path|not_ready|exit_signal|node_version|autostart|env_.*|script|cwd|updateEnv|post_update)$/;

class Contender {
  constructor(name, command) {
    this.name = name;
    this.command = command;
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
    this.work = join(this.directory, 'work');
    cpSync(join(import.meta.dirname, 'apps'), this.work, { recursive: true });
    const { PATH } = process.env;
    const home = join(this.directory, 'home');
    this.env = { PATH, HOME: this.directory, PM2_HOME: home, NSV_HOME: home, LANG: 'C' };
  }

  run(line) {
    return new Promise((done, failed) => {
      const [before, input] = line.split(' <<< ');
      const child = spawn('/bin/sh', ['-c', `"$PROGRAM" ${before}`], {
        cwd: this.work,
        env: { ...this.env, PROGRAM: this.command },
        stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      });
      child.stdin?.end(input);
      const said = { stdout: '', stderr: '' };
      for (const stream of ['stdout', 'stderr'])
        child[stream].setEncoding('utf8').on('data', (text) => (said[stream] += text));
      child.on('error', failed);
      child.on('close', (code) => done({ code, ...said }));
    });
  }

  async state() {
    const { stdout } = await this.run('jlist');
    const list = JSON.parse(stdout.slice(stdout.indexOf('[{') < 0 ? stdout.lastIndexOf('[]') : stdout.indexOf('[{')));
    const bySlot = (one, other) => one.pm2_env.NODE_APP_INSTANCE - other.pm2_env.NODE_APP_INSTANCE;
    const state = new Map();
    for (const { name, pm2_env } of list.sort(bySlot)) {
      const count = [...state.keys()].filter((key) => key.startsWith(`${name}#`)).length;
      state.set(`${name}#${count}`, this.#comparable(pm2_env));
    }
    return state;
  }

  #comparable(env) {
    const rows = Object.entries(env).filter(([key, value]) => !incomparable.test(key) && !saysNothing(value));
    // A number of a config file is a string in the environment.
    const shown = (key, value) => (typeof value === 'number' && key in env.env ? String(value) : value);
    return Object.fromEntries(rows.map(([key, value]) => [key, this.#neutral(shown(key, value))]));
  }

  #neutral(value) {
    const text = JSON.stringify(value)
      .replaceAll(this.directory, '~')
      .replaceAll(/-error(-?\d*)\.log/g, '-err$1.log');
    return JSON.parse(text);
  }

  async end() {
    await this.run('kill');
    rmSync(this.directory, { recursive: true });
  }
}

/** PM2 leaves out what was not asked for. */
function saysNothing(value) {
  const empty = value === null || value === false || value === 0 || value === '' || value === '{}';
  return empty || (Array.isArray(value) && value.length === 0);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function differences(theirs, ours) {
  const found = [];
  for (const process of new Set([...theirs.keys(), ...ours.keys()])) {
    const [one, other] = [theirs.get(process), ours.get(process)];
    if (!one || !other) found.push(`only in ${one ? 'PM2' : 'nsv'}: ${process}`);
    else {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        const [a, b] = [one[key], other[key]].map((value) => JSON.stringify(value));
        if (a !== b && !(a === undefined && defaults.has(key))) found.push(`${process} ${key}: ${a} | ${b}`);
      }
    }
  }
  return [...new Set(found)];
}

/** Settings that PM2 prints only if they were asked for. */
const defaults = new Set([
  ...['max_restarts', 'min_uptime', 'kill_timeout', 'listen_timeout', 'autorestart', 'exit_code', 'version'],
]);

/** Those of the scene that runs: they end with this program, also if it is interrupted. */
let both = [];
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, async () => {
    await Promise.all(both.map((one) => one.end()));
    process.exit(1);
  });
}

let checks = 0;
let same = 0;
const seen = new Map();
for (const [scene, lines] of Object.entries(scenes)) {
  if (wanted.length > 0 && !wanted.includes(scene)) continue;
  both = [new Contender('pm2', resolve(pm2)), new Contender('nsv', join(root, 'bin', 'pm2-compat'))];
  console.log(`\n${scene}`);
  /** A difference is told with the line that makes it. */
  let known = new Set();
  for (const entry of lines) {
    const [line, wait = 0] = Array.isArray(entry) ? entry : [entry];
    const [theirs, ours] = await Promise.all(both.map((one) => one.run(line)));
    await pause(wait);
    const [before, after] = await Promise.all(both.map((one) => one.state()));
    const all = differences(before, after);
    const found = all.filter((text) => !known.has(text));
    known = new Set(all);
    if (theirs.code !== ours.code) found.unshift(`exit code ${theirs.code}: ${ours.code} (${firstLine(ours)})`);
    checks += 1;
    if (found.length === 0) same += 1;
    console.log(`  ${found.length === 0 ? 'same' : 'DIFF'}  pm2 ${line}`);
    for (const text of found) {
      console.log(`          ${text}`);
      const [key] = text.replace(/^\S+#\d+ /, '').split(':');
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
  }
  await Promise.all(both.map((one) => one.end()));
}
console.log(`\n${same} of ${checks} command lines have the same exit code and the same jlist`);
for (const [key, count] of [...seen].sort((a, b) => b[1] - a[1])) console.log(`  ${count}  ${key}`);

function firstLine({ stdout, stderr }) {
  return (stderr || stdout).trim().split('\n')[0];
}

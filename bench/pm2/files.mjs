// node bench/pm2/files.mjs <pm2> [config...]: starts, reloads and deletes the apps of config files (configs.mjs) with PM2, nsv-pm2 and nsv,
// and prints a table of what each made of them. nsv also applies each file twice. <pm2>: its executable.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { printTable } from '../measure.mjs';
import { configs, projects } from './configs.mjs';

const [pm2, ...wanted] = process.argv.slice(2);
if (!pm2) throw new Error('usage: node bench/pm2/files.mjs <executable of PM2> [config...]');
const bin = resolve(import.meta.dirname, '../../bin');
const directory = realpathSync(mkdtempSync(join(tmpdir(), 'nsv-files-')));

class Contender {
  constructor(name, program, port, steps) {
    this.port = port;
    this.name = name;
    this.program = program;
    this.steps = steps;
    this.home = join(directory, `${name}-home`);
    this.work = join(directory, name);
  }

  /** Resolves with the exit code, and what it printed. */
  run(words) {
    const { PATH } = process.env;
    const env = { PATH, HOME: this.home, PM2_HOME: this.home, NSV_HOME: this.home, LANG: 'C' };
    const child = spawn(this.program, words, { cwd: this.work, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'])
      child[stream].setEncoding('utf8').on('data', (text) => (said[stream] += text));
    const killer = setTimeout(() => child.kill('SIGKILL'), 120_000);
    return new Promise((done) => {
      child.on('close', (code) => {
        clearTimeout(killer);
        done({ code, ...said });
      });
    });
  }

  /** Such as "2 shop online": what there is once nothing is launching any more. */
  async apps() {
    let list = [];
    for (let look = 0; look < 10; look += 1) {
      const { stdout } = await this.run(['jlist']);
      list = JSON.parse(stdout.slice(stdout.indexOf('[{') < 0 ? stdout.lastIndexOf('[]') : stdout.indexOf('[{')));
      // What is not restarted is a job: PM2 shows it as online for some seconds after its end.
      const isSettled = list.every(
        ({ pm2_env: { status, autorestart } }) =>
          !/launching|waiting|stopping/.test(status) && (status !== 'online' || autorestart !== false),
      );
      if (look > 1 && isSettled) break;
      await after(700);
    }
    const counts = new Map();
    for (const { name, pm2_env } of list) {
      const key = `${name} ${pm2_env.status}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts]
      .map(([key, count]) => `${count} ${key}`)
      .sort()
      .join(', ');
  }

  /** Resolves with what is there after each step. */
  async try([file, text]) {
    rmSync(this.work, { recursive: true, force: true });
    for (const [name, source] of [...Object.entries(projects), [file, text]]) {
      mkdirSync(dirname(join(this.work, name)), { recursive: true });
      // So that they do not take the ports of each other.
      const own = source.replace(/\b45310\b/g, String(this.port));
      writeFileSync(join(this.work, name), own, { mode: 0o755 });
    }
    const results = [];
    for (const [step, ...words] of this.steps(file)) {
      const { code, stderr, stdout } = await this.run(words);
      const said = (stderr.trim() || stdout.trim()).split('\n').find((line) => line !== '') ?? '';
      results.push({ step, code, said, apps: await this.apps() });
    }
    await this.run(['delete', 'all']);
    return results;
  }
}

const ofPm2 = (file) => [
  ['start', 'start', file],
  ['reload', 'reload', file],
  ['delete', 'delete', file],
];
const contenders = [
  new Contender('pm2', resolve(pm2), 45310, ofPm2),
  new Contender('nsv-pm2', join(bin, 'pm2-compat'), 45320, ofPm2),
  new Contender('nsv', join(bin, 'nsv'), 45330, (file) => [
    ['start', 'start', file],
    ['apply', 'apply', file],
    ['apply again', 'apply', file],
    ['reload', 'reload', 'all'],
    ['delete', 'delete', 'all'],
  ]),
];

/** The exit codes of all steps, and what was there after the first one and the last but one. */
function cells(results) {
  const codes = results.map(({ code }) => code).join(' ');
  const [first, last] = [results[0].apps, results.at(-2).apps];
  return `${codes}: ${first === last ? first || 'nothing' : `${first}, then ${last || 'nothing'}`}`;
}

const rows = [['config', 'PM2: start, reload, delete', 'nsv-pm2', 'nsv: start, apply twice, reload, delete']];
try {
  for (const one of contenders) mkdirSync(one.home, { recursive: true });
  for (const [name, config] of Object.entries(configs)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const all = await Promise.all(contenders.map((one) => one.try(config)));
    const [theirs, ours, own] = all.map(cells);
    rows.push([name, theirs, theirs === ours ? 'the same' : ours, own]);
    console.log(`${theirs === ours ? 'same' : 'DIFF'}  ${name}`);
    for (const [index, results] of all.entries())
      for (const { step, code, said } of results)
        if (code !== 0 || theirs !== ours) console.log(`        ${contenders[index].name} ${step}: ${code} ${said}`);
  }
  const same = rows.filter(([, , ours]) => ours === 'the same').length;
  printTable(`PM2 and nsv-pm2 agree on ${same} of ${rows.length - 1} files`, rows);
} finally {
  await Promise.all(contenders.map((one) => one.run(['kill'])));
  rmSync(directory, { recursive: true, force: true });
}

// Attacks one of the places where nsv reads what others wrote, for some time or some cases: bench/README.md.
// node bench/fuzz/main.mjs --target socket|worker|state|saved|config|names [--seed n] [--seconds n | --cases n] [--case n]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadDirect } from './direct.mjs';
import { Finding, shown } from './finding.mjs';
import { isolated } from './isolation.mjs';
import { Random } from './random.mjs';
import { Stage } from './stage.mjs';
import { startWatchdog } from './watchdog.mjs';

const targetNames = ['socket', 'worker', 'state', 'saved', 'config', 'names'];
const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    /** Default: another one each time. */
    seed: { type: 'string' },
    seconds: { type: 'string', default: '600' },
    /** Number of cases, instead of a time. */
    cases: { type: 'string' },
    /** Only this case, to repeat a finding. */
    case: { type: 'string' },
    /** Goes on after a finding, with a new home. */
    'keep-going': { type: 'boolean', default: false },
    /** Another nsv, built, to test. Default: this one. */
    package: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
    /** Set by the program itself. */
    directory: { type: 'string' },
  },
});
if (!targetNames.includes(values.target)) {
  console.error(`--target is one of ${targetNames.join(', ')}`);
  process.exit(2);
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const packageRoot = resolve(values.package);

if (values.directory === undefined) {
  const directory = mkdtempSync(join(tmpdir(), 'nsv-fuzz-'));
  try {
    process.exitCode = await isolated(directory, [
      fileURLToPath(import.meta.url),
      ...process.argv.slice(2),
      '--seed',
      String(seed),
    ]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
} else process.exitCode = await fuzz(values.directory);

async function fuzz(directory) {
  const direct = await loadDirect(packageRoot, directory);
  const { [values.target]: target } = await import(`./targets/${values.target}.mjs`);
  const codes = new Set([0, 1, 130, ...Object.values(direct.catalogue()).map(({ exitCode }) => exitCode)]);
  const stage = new Stage(directory, packageRoot, codes);
  const findings = new Map();
  const first = Number(values.case ?? 0);
  const last =
    values.case !== undefined
      ? first
      : values.cases !== undefined
        ? Number(values.cases) - 1
        : Number.POSITIVE_INFINITY;
  const end =
    values.cases !== undefined || values.case !== undefined
      ? Number.POSITIVE_INFINITY
      : Date.now() + Number(values.seconds) * 1_000;
  const stop = () => {
    isStopped = true;
  };
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  console.log(`target ${values.target}, seed ${seed}`);

  const begun = startWatchdog();
  let index = first;
  let context;
  try {
    for (; index <= last && Date.now() < end && !isStopped; index += 1) {
      try {
        begun(index);
        context ??= await begin();
        await target.play(new Random(seed, index), index, context);
        if (target.needsDaemon && (index % 20 === 19 || index === last)) {
          await stage.judge();
          await target.tidy?.(context);
          await stage.judge();
        }
      } catch (error) {
        if (!(error instanceof Finding)) throw error;
        report(error);
        if (!values['keep-going']) break;
        await target.tidy?.(context).catch(() => {});
        if (target.needsDaemon) await stage.dispose();
        context = undefined;
      }
    }
    if (context && target.needsDaemon && findings.size === 0) await stage.judge();
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    report(error);
  } finally {
    if (target.needsDaemon) await stage.dispose();
  }
  const memory = stage.mostMemory > 0 ? `, the daemon used at most ${Math.round(stage.mostMemory / 2 ** 20)} MB` : '';
  console.log(`${index - first} cases, ${findings.size} findings${memory}`);
  for (const [fact, count] of findings) console.log(`  ${count} x ${fact}`);
  return findings.size > 0 ? 1 : 0;

  async function begin() {
    if (target.needsDaemon) await stage.begin();
    return { stage, direct, directory, own: await target.prepare?.({ stage, direct, directory }) };
  }

  function report({ message, input }) {
    const fact = message.split('\n')[0].slice(0, 300);
    findings.set(fact, (findings.get(fact) ?? 0) + 1);
    // The daemon is looked at every 20 cases, so what broke it may be one of those before.
    console.log(`case ${index}: ${message}\n  ${shown(input)}`);
    console.log(`  node bench/fuzz/main.mjs --target ${values.target} --seed ${seed} --cases ${index + 1}`);
  }
}

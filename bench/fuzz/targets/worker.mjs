// The worker channel: three processes of an app that tell the daemon nonsense.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../stage.mjs';

const instances = 3;
const root = fileURLToPath(new URL('..', import.meta.url));

/** Milliseconds for three processes to go on by some cases: each may have to be started for each case. */
const timeout = 60_000;

export const worker = {
  needsDaemon: true,
  /** One case here is twenty of each process. */
  async prepare({ stage }) {
    return { file: join(stage.directory, 'work', 'progress') };
  },
  async play(random, index, { stage, own }) {
    const cases = 20;
    const env = { FUZZ_SEED: String(random.next()), FUZZ_FILE: own.file, FUZZ_ROOT: root, FUZZ_CASES: String(cases) };
    for (let slot = 0; slot < instances; slot += 1) rmSync(`${own.file}-${slot}`, { force: true });
    const settings = [
      '--max-restarts',
      'unlimited',
      '--min-uptime',
      '10ms',
      '--kill-timeout',
      '200ms',
      '--listen-timeout',
      '2s',
    ];
    Object.assign(stage.env, env);
    const started = await stage.run(
      'start',
      join(root, 'apps', 'liar.cjs'),
      '--name',
      'fuzz-liar',
      '-i',
      String(instances),
      '--no-wait',
      ...settings,
    );
    if (started.code !== 0) throw new Error(started.stderr);
    await until(
      async () => (await stage.judge()) && progress(own.file) >= cases,
      'the processes do not go on',
      timeout,
    );
    await stage.deleteOthers();
    await stage.judge();
    // What it told must not be in the way of the next daemon.
    if (index % 5 === 4) {
      await stage.killDaemon();
      await stage.succession();
    }
  },
};

/** The least case that all processes have reached. */
function progress(file) {
  const numbers = Array.from({ length: instances }, (_, slot) => `${file}-${slot}`).map((name) =>
    existsSync(name) ? Number(readFileSync(name, 'utf8')) : -1,
  );
  return Math.min(...numbers);
}

// `nsv list` and `nsv jlist`, and the boot of the daemon by a command, against `node -e 0` in turn.
//   node bench/list.mjs [rounds] [--append file]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, launcher, root, wallTime } from './measure.mjs';
import { benchmark } from './rows.mjs';

const { positionals, record, print } = benchmark();
const rounds = Number(positionals[0] ?? 21);
const hello = join(root, 'examples', 'hello.js');
const floor = () => wallTime(process.execPath, ['-e', '0']);

/** Starts apps, then measures commands in turn. */
function measure(start, commands) {
  const home = createHome();
  try {
    start(home);
    for (let round = 0; round < rounds; round += 1) {
      for (const [row, word] of Object.entries(commands)) record(row, floor(), wallTime(launcher, [word], home.env));
    }
  } finally {
    home.dispose();
  }
}

measure(startTen, { 'list-10': 'list' });
measure(startHundred, { 'list-100': 'list', 'jlist-100': 'jlist' });
for (let round = 0; round < Math.min(rounds, 7); round += 1) boot();
print();

function startTen({ nsv }) {
  for (let app = 0; app < 10; app += 1) nsv('start', hello, '--name', `app${app}`, '--', '0');
}

function startHundred({ home, nsv }) {
  const config = join(home, 'apps.json');
  const apps = Array.from({ length: 100 }, (_, at) => ({ name: `app${at}`, script: '/bin/sleep', args: ['600'] }));
  writeFileSync(config, JSON.stringify({ apps }));
  nsv('start', config);
}

/** What a command takes longer that has to start the daemon. The first of all keeps the compiled code of the command line. */
function boot() {
  const home = createHome();
  const start = (name) =>
    wallTime(launcher, ['start', '--no-wait', '/bin/sleep', '--name', name, '--', '60'], home.env);
  try {
    start('first');
    home.end();
    const base = floor();
    const withBoot = start('cold');
    record('boot', base, withBoot - start('warm'));
  } finally {
    home.dispose();
  }
}

// `nsv list` with ten processes, and the first command that boots the daemon, against `node -e 0` in turn.
import { join } from 'node:path';
import { createHome, launcher, median, printTable, root, wallTime } from './measure.mjs';

const rounds = Number(process.argv[2] ?? 21);
const hello = join(root, 'examples', 'hello.js');
const floor = () => wallTime(process.execPath, ['-e', '0']);

const warm = createHome();
try {
  for (let app = 0; app < 10; app += 1) warm.nsv('start', hello, '--name', `app${app}`, '--', '0');
  const pairs = Array.from({ length: rounds }, () => [
    floor(),
    wallTime(launcher, ['list'], warm.env),
    wallTime(launcher, ['ping'], warm.env),
  ]);
  const column = (index) => median(pairs.map((pair) => pair[index]));
  const ratio = (index) => median(pairs.map((pair) => pair[index] / pair[0])).toFixed(2);
  printTable('with ten processes, median of runs in turn', [
    ['', 'ms', 'ratio'],
    ['node -e 0', column(0).toFixed(1), '1'],
    ['nsv list', column(1).toFixed(1), ratio(1)],
    ['nsv ping', column(2).toFixed(1), ratio(2)],
  ]);
} finally {
  warm.dispose();
}

const boots = [];
for (let round = 0; round < Math.min(rounds, 7); round += 1) {
  const cold = createHome();
  try {
    const job = ['start', '--no-wait', '/bin/sleep', '--', '60'];
    const base = floor();
    const first = wallTime(launcher, job, cold.env);
    const second = wallTime(launcher, [...job.slice(0, 2), '--name', 'other', ...job.slice(2)], cold.env);
    boots.push({ base, first, second, ratio: (first - second) / base });
  } finally {
    cold.dispose();
  }
}
printTable('boot of the daemon by the first command', [
  ['', 'ms', 'ratio'],
  ['first command', median(boots.map(({ first }) => first)).toFixed(1), ''],
  ['the same again', median(boots.map(({ second }) => second)).toFixed(1), ''],
  ['boot, in node -e 0', '', median(boots.map(({ ratio }) => ratio)).toFixed(2)],
]);

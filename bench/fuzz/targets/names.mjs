// Names: of apps, of their files, and of what others left in the home.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Finding } from '../finding.mjs';
import { mutated, oddText, oddValue } from '../mutate.mjs';
import { callOnce } from '../wire.mjs';

const timeout = 30_000;

export const names = {
  needsDaemon: true,
  async prepare({ stage, directory, direct }) {
    return {
      place: join(directory, 'apps'),
      errors: new Set(Object.keys(direct.catalogue())),
      before: new Set(readdirSync(stage.at('logs'))),
    };
  },
  async play(random, index, { stage, direct, own }) {
    const app = appOf(random, own.place);
    const call = async (method, params) => {
      const reply = await callOnce(stage.socket, method, params, timeout).catch((error) => {
        throw error instanceof Finding ? new Finding(error.message, { app, params }) : error;
      });
      const code = reply.error?.data?.code;
      if (reply.error && (!own.errors.has(code) || code === 'INTERNAL'))
        throw new Finding(`"${method}": ${reply.error.message}`, params);
      return reply.result;
    };
    readNames(random, direct);
    const launched = await call('launch', { app, wait: false, force: false, active: true });
    if (launched) {
      litter(random, stage, app);
      for (const method of ['list', 'describe', 'logs']) await call(method, { targets: [app.name] });
      await call(random.pick(['rotateLogs', 'reopenLogs']), { targets: random.oneIn(2) ? [] : [app.name] });
      if (index % 5 === 0) await look(random, stage, app);
      if (index % 10 === 0) {
        litterHome(random, stage);
        await stage.killDaemon();
        await stage.succession();
      }
      await call('delete', { targets: [app.name] });
    }
    sweep(stage, own);
  },
};

/** The commands that read the folder themselves. */
async function look(random, stage, { name }) {
  const target = name.startsWith('-') ? [] : [name];
  const ways = [
    ['logs', '--nostream', '--lines', '5', ...target],
    ['doctor'],
    ['list'],
    ['show', ...target],
    ['flush', ...target],
    ['logs', 'rotate', ...target],
  ];
  await stage.run(...random.pick(ways));
}

function readNames(random, direct) {
  const listed = Array.from({ length: 20 }, () => random.pick([oddText(random), rotationOf(random, 'a.log')]));
  direct.allRotations(listed);
  direct.rotationsOf('/x/a.log', listed);
  const mark = random.pick([oddText(random), `${'f'.repeat(32)}:a:1:holder:1:1:1:0:${oddText(random)}`]);
  direct.readMark(mark);
  direct.markIn(`A=b\0NSV_MARK=${mark}\0`);
}

function appOf(random, place) {
  const name = `fuzz${random.pick([
    () => random.text(random.between(1, 60), 'azAZ09_@.+ :/-'),
    () => '/'.repeat(random.between(1, 41)),
    () => 'x'.repeat(random.between(100, 130)),
    () => random.pick(['/../../x', '/.', '%2F', ' ', '.log', '-0-out.log', ':a', '\n', '\0', 'é']),
    () => oddText(random),
  ])()}`;
  const file = () =>
    random.pick([
      () => join(place, oddText(random).replaceAll('\0', '').replaceAll('..', '').slice(0, 300) || 'x'),
      () => join(place, 'x'.repeat(random.between(200, 260))),
      () => join(place, `${'d/'.repeat(random.between(1, 30))}x.log`),
      () => place,
      () => '/dev/null',
      () => '/dev/full',
    ])();
  return {
    name,
    script: '/bin/sh',
    args: ['-c', 'echo hello; echo oops >&2; exec sleep 600'],
    cwd: place,
    killTimeout: 300,
    minUptime: 10,
    ...(random.oneIn(3) && { outFile: file() }),
    ...(random.oneIn(4) && { errorFile: file() }),
    ...(random.oneIn(5) && { pidFile: file() }),
    ...(random.oneIn(3) && { time: true }),
    ...(random.oneIn(3) && { instances: 2 }),
    ...(random.oneIn(4) && { mergeLogs: true }),
    ...(random.oneIn(3) && { namespace: oddText(random) }),
  };
}

function rotationOf(random, file) {
  const number = (digits) => random.text(digits, '0123456789');
  const stamp = random.oneIn(2)
    ? '2026-01-02T03-04-05-678Z'
    : `${number(4)}-${number(2)}-${number(2)}T${number(2)}-${number(2)}-${number(2)}-${number(3)}Z`;
  return `${file}.${stamp}${random.pick(['', '.gz', '.part', '.gz.part', '.gz.gz'])}`;
}

/** What may lie in the folder of logs. */
function litter(random, stage, { name }) {
  const own = `${name.replaceAll('/', '%2F')}-0-out.log`;
  for (let count = random.below(4); count > 0; count -= 1) {
    const entry = random.pick([
      () => rotationOf(random, own),
      () => rotationOf(random, 'canary-sleep-0-out.log'),
      () => oddText(random).replace(/[/\0]/g, '').slice(0, 200),
    ])();
    if (!entry || entry === '.' || entry === '..') continue;
    make(random, stage.at('logs', entry));
  }
  if (random.oneIn(10))
    attempt(() =>
      writeFileSync(Buffer.concat([Buffer.from(`${stage.at('logs')}/`), Buffer.from([0xff, 0xfe, 0x2e])]), 'x'),
    );
}

function make(random, path) {
  const ways = [
    () => writeFileSync(path, random.bytes(random.pick([0, 10, 10_000]))),
    () => mkdirSync(path),
    () => symlinkSync('nothing', path),
    () => symlinkSync(path, path),
    () => symlinkSync('/dev/zero', path),
    () => execFileSync('mkfifo', [path]),
  ];
  attempt(random.pick(ways));
}

/** What a rotator, or somebody else, may have left in the home itself. */
function litterHome(random, stage) {
  const record = {
    rotator: { pid: 999_999, startTime: 1 },
    file: '/nonexistent/a',
    draft: '/nonexistent/b',
    to: '/nonexistent/c',
    stopped: [{ pid: 999_999, startTime: 1 }],
  };
  const content = random.pick([
    () => '',
    () => '{',
    () => JSON.stringify(oddValue(random)),
    () => JSON.stringify(mutated(record, random)),
    () => JSON.stringify(record),
  ])();
  const place = random.pick([
    'rotation.json',
    'rotation.json',
    'rotation.json',
    join('rotation', `${random.below(9)}.json`),
    'daemon.pid.next',
    'supervised',
    oddText(random).replace(/[/\0]/g, '').slice(0, 200),
  ]);
  // A marker of supervision has commands wait for the supervisor, as documented.
  if (!place || place === 'supervised' || place.startsWith('.')) return;
  attempt(() => {
    mkdirSync(join(stage.at(place), '..'), { recursive: true });
    writeFileSync(stage.at(place), content);
  });
}

/** The system does not take every name. */
function attempt(run) {
  try {
    run();
  } catch (error) {
    if (error.code === undefined && error.status === undefined) throw error;
  }
}

function sweep(stage, { before, place }) {
  for (const name of readdirSync(stage.at('logs'), { encoding: 'buffer' })) {
    if (before.has(name.toString())) continue;
    rmSync(Buffer.concat([Buffer.from(`${stage.at('logs')}/`), name]), { recursive: true, force: true });
  }
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  for (const name of ['rotation.json', 'daemon.pid.next']) rmSync(stage.at(name), { recursive: true, force: true });
}

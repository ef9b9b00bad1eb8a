// The state file: read directly, and by a daemon that starts.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { Finding } from '../finding.mjs';
import { mutated, mutatedBytes, oddValue } from '../mutate.mjs';
import { harmless } from '../specs.mjs';
import { isAlive } from '../stage.mjs';
import { expectWorded } from '../worded.mjs';

const isIsolated = process.env.NSV_FUZZ_ISOLATED === '1';
/** With these wrong, a bug could hit processes and files of others. */
const risky = ['pid', 'startTime', 'mark', 'outFile', 'errorFile', 'logFile'];

export const state = {
  needsDaemon: true,
  async prepare({ stage, directory }) {
    await launchVictims(stage);
    return { valid: await written(stage), place: `${directory}/apps` };
  },
  async play(random, index, { stage, direct, own }) {
    for (let count = 0; count < 100; count += 1) await readDirectly(random, direct, own);
    if (index % 3 !== 0) return;
    await stage.killDaemon();
    spoil(random, stage, own);
    await stage.succession();
    await restore(stage, own);
  },
};

/** Apps whose records are spoiled. */
async function launchVictims(stage) {
  const plain = ['--no-wait', '--min-uptime', '50ms', '--kill-timeout', '500ms'];
  await stage.succeed('start', '/bin/sleep', '--name', 'fuzz-0', '-i', '2', ...plain, '--', '600');
  await stage.succeed(
    'start',
    '/bin/sleep',
    '--name',
    'fuzz-1',
    '--time',
    '--cron-restart',
    '0 4 * * *',
    ...plain,
    '--',
    '600',
  );
  await stage.succeed('stop', 'fuzz-1');
}

async function written(stage) {
  // A change that is answered is on the disk.
  await stage.succeed('reset', 'all');
  return readFileSync(stage.at('state.json'));
}

function parsed(bytes) {
  return JSON.parse(bytes.subarray(bytes.indexOf('\n') + 1).toString());
}

/** Each app with its own environment, which the file has once for all that share it. */
function snapshotIn(bytes) {
  const { environments, ...snapshot } = parsed(bytes);
  const groups = snapshot.groups.map((group) => {
    const { spec } = group;
    return { ...group, spec: { ...spec, env: environments[spec.env] } };
  });
  return { ...snapshot, groups };
}

async function readDirectly(random, direct, { valid, place }) {
  const kind = random.below(4);
  const bytes =
    kind === 0
      ? mutatedBytes(valid, random)
      : kind === 1
        ? resealed(mutatedBytes(valid, random))
        : sealed(oddSnapshot(random, valid, place, true));
  await expectWorded('decodeState', () => direct.decodeState(bytes), isPlain, bytes);
}

const plain = ['Error', 'NsvError', 'OtherVersionError'];
const isPlain = (error) => plain.includes(error.constructor.name);

/** Any part of the snapshot mutated, or only the apps that nobody would miss. */
function oddSnapshot(random, valid, place, anything) {
  if (anything && random.oneIn(2)) return mutated(parsed(valid), random);
  const snapshot = snapshotIn(valid);
  const groups = snapshot.groups.map((group) => {
    if (!group.spec?.name?.startsWith('fuzz')) return group;
    const odd = random.oneIn(8)
      ? oddValue(random)
      : mutated(group, random, (path) => isIsolated || !risky.includes(path.at(-1)));
    if (odd?.spec) odd.spec = harmless(odd.spec, place);
    if (odd?.intent?.successor?.spec) odd.intent.successor.spec = harmless(odd.intent.successor.spec, place);
    return odd;
  });
  return { ...snapshot, groups };
}

/** Changed bytes under a header that fits them. */
function resealed(bytes) {
  return withHeader(bytes.subarray(Math.max(0, bytes.indexOf('\n')) + 1));
}

function sealed(snapshot) {
  return withHeader(Buffer.from(`${JSON.stringify(snapshot)}\n`));
}

function withHeader(body) {
  const header = { format: 'nsv-state', version: 2, length: body.length, checksum: crc32(body) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]);
}

/** One of the two files is intact, unless only records of the fuzzer's apps are wrong. */
function spoil(random, stage, own) {
  const file = stage.at('state.json');
  const now = readFileSync(file);
  own.spoiledWith = undefined;
  writeFileSync(`${file}.1`, now);
  if (random.oneIn(3)) {
    rmSync(file);
    const ways = [
      () => writeFileSync(file, mutatedBytes(now, random)),
      () => writeFileSync(file, ''),
      () => writeFileSync(file, random.bytes(random.between(1, 5_000))),
      () => writeFileSync(file, now.subarray(0, random.below(now.length))),
      () => mkdirSync(file),
      () => symlinkSync('/dev/zero', file),
      () => symlinkSync('state.json', file),
    ];
    random.pick(ways)();
    return;
  }
  const bytes = sealed(oddSnapshot(random, now, own.place, false));
  for (const name of [file, `${file}.1`]) writeFileSync(name, bytes);
  own.spoiledWith = bytes;
}

/** What the spoiled records were about is taken away, and launched anew. */
async function restore(stage, { spoiledWith }) {
  await stage.deleteOthers();
  for (const name of readdirSync(stage.home))
    if (/\.bad-|\.unread/.test(name)) rmSync(stage.at(name), { recursive: true, force: true });
  for (const pid of strays(stage)) process.kill(pid, 'SIGKILL');
  const left = (await stage.list()).filter(({ name }) => !name.startsWith('canary-'));
  if (left.length > 0) throw new Finding(`"${left[0].name}" could not be deleted`, spoiledWith);
  await launchVictims(stage);
}

/** Processes of apps whose record was refused. */
function strays(stage) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isAlive(name) && existsSync(`/proc/${name}/environ`))
    .filter((name) => {
      try {
        const entries = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0');
        return entries.includes(`NSV_HOME=${stage.home}`) && entries.some((entry) => entry.startsWith('NSV_APP=fuzz'));
      } catch {
        return false;
      }
    })
    .map(Number);
}

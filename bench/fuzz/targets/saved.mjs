// The saved list: read directly, and by `nsv resurrect`.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Finding } from '../finding.mjs';
import { mutated, mutatedBytes, oddValue } from '../mutate.mjs';
import { appOf, harmless, oddApp } from '../specs.mjs';
import { expectWorded } from '../worded.mjs';

export const saved = {
  needsDaemon: true,
  async prepare({ stage, directory }) {
    await stage.succeed('save');
    const place = join(directory, 'apps');
    return { valid: JSON.parse(readFileSync(stage.at('saved.json'), 'utf8')), place };
  },
  async play(random, index, { stage, direct, own }) {
    for (let count = 0; count < 100; count += 1) {
      const text = listOf(random, own);
      await expectWorded('parseSavedList', () => direct.parseSavedList(text), isPlain, text);
    }
    if (index % 3 !== 0) return;
    spoil(random, stage.at('saved.json'), own);
    await stage.run('resurrect');
    await stage.judge();
    if (random.oneIn(4)) await stage.run('save', ...(random.oneIn(2) ? ['--auto'] : ['--no-auto']));
    if (random.oneIn(6)) {
      await stage.killDaemon();
      await stage.succession();
    }
    await stage.deleteOthers();
    const left = (await stage.list()).filter(({ name }) => !name.startsWith('canary-'));
    if (left.length > 0) throw new Finding(`"${left[0].name}" could not be deleted`);
    for (const name of readdirSync(stage.home))
      if (/\.corrupt-|\.bad-/.test(name)) rmSync(stage.at(name), { recursive: true, force: true });
  },
};

const isPlain = (error) => [Error, SyntaxError].includes(error.constructor) || error.name === 'NsvError';

function listOf(random, { valid, place }) {
  const apps = Array.from({ length: random.below(3) }, () => ({
    spec: random.oneIn(2) ? appOf(random, place) : oddApp(random, place),
    active: random.oneIn(2),
  }));
  const list = { ...valid, apps: [...valid.apps, ...apps] };
  const odd = random.oneIn(2)
    ? mutated(
        list,
        random,
        (path) => path[1] === undefined || Number(path[1]) >= valid.apps.length || path[0] !== 'apps',
      )
    : list;
  if (Array.isArray(odd.apps))
    odd.apps = odd.apps.map((app) => (app?.spec ? { ...app, spec: made(app.spec, valid, place) } : app));
  const text = random.oneIn(20) ? JSON.stringify(oddValue(random)) : JSON.stringify(odd);
  return random.oneIn(10) ? mutatedBytes(Buffer.from(text), random).toString() : text;
}

/** Those of the stage run already. */
function made(spec, valid, place) {
  return valid.apps.some((app) => app.spec.name === spec.name) ? spec : harmless(spec, place);
}

function spoil(random, file, own) {
  rmSync(file, { recursive: true, force: true });
  if (!random.oneIn(6)) {
    // Bytes that changed could make another command of a valid one.
    const text = listOf(random, own);
    writeFileSync(file, isJson(text) && !isHarmless(text, own) ? '{' : text);
    return;
  }
  const ways = [
    () => mkdirSync(file),
    () => symlinkSync('saved.json', file),
    () => writeFileSync(file, random.bytes(1_000)),
    () => writeFileSync(file, ''),
    () => writeFileSync(file, `{"format":"nsv-saved-list","version":1,"apps":${'['.repeat(200_000)}`),
  ];
  random.pick(ways)();
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether each app is one that the fuzzer has made, to the letter. */
function isHarmless(text, { valid, place }) {
  const { apps } = Object(JSON.parse(text));
  if (!Array.isArray(apps)) return true;
  return apps.every((app) => {
    const spec = app?.spec;
    if (!spec || typeof spec !== 'object') return true;
    const safe = made(spec, valid, place);
    return [
      'script',
      'interpreter',
      'outFile',
      'errorFile',
      'logFile',
      'pidFile',
      'preStart',
      'postStop',
      'onGiveup',
      'instances',
      'uid',
    ].every((key) => JSON.stringify(safe[key]) === JSON.stringify(spec[key]));
  });
}

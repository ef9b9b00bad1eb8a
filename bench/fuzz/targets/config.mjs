// Config files: JSON, YAML and JavaScript, read as `nsv start FILE` does before it starts anything.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { mutated, mutatedBytes, oddText, oddValue } from '../mutate.mjs';
import { appOf, settingNames } from '../specs.mjs';
import { expectWorded } from '../worded.mjs';

export const config = {
  needsDaemon: false,
  prepare: ({ directory }) => ({ directory }),
  async play(random, index, { direct, own: { directory } }) {
    const [kind, content] = textOf(random, directory);
    const file = join(directory, `${index % 50}.config.${kind}`);
    writeFileSync(file, content ?? '');
    const at = { cwd: directory, env: { PATH: '/usr/bin:/bin' } };
    const environment = random.oneIn(4) ? random.pick(['production', oddText(random)]).replaceAll('\0', '') : undefined;
    const read = async () => direct.resolveConfig(await direct.readConfig({ word: file, environment }, at), at);
    await expectWorded('readConfig', read, (error) => error.name === 'NsvError', content);
    rmSync(file);
  },
};

function textOf(random, directory) {
  const value = configOf(random, directory);
  switch (random.below(12)) {
    case 0:
      return [random.pick(['json', 'yaml']), mutatedBytes(Buffer.from(JSON.stringify(value ?? null, null, 1)), random)];
    case 1:
      return ['yaml', mutatedBytes(Buffer.from(yamlOf(value)), random)];
    case 2:
      return ['yaml', random.pick(oddYaml)];
    case 3:
      return [
        random.pick(['json', 'yaml']),
        random.pick(['', ' ', '\0', '\ufeff{}', '[', '{'.repeat(2_000), '['.repeat(2_000), '- '.repeat(2_000)]),
      ];
    case 4:
      // A process of its own for each.
      return random.oneIn(6)
        ? [random.pick(['js', 'cjs', 'mjs']), random.pick(scripts)(JSON.stringify(value ?? null))]
        : ['json', JSON.stringify(value)];
    case 5:
    case 6:
      return ['yaml', yamlOf(value)];
    default:
      return ['json', JSON.stringify(value) ?? ''];
  }
}

const oddYaml = [
  'a: &a [*a]\napps: *a\n',
  'apps: &x\n  - script: a.js\n    <<: *x\n',
  `a: &a [1,2,3,4,5,6,7,8,9]\n${Array.from({ length: 9 }, (_, n) => `b${n}: &b${n} [${`*${n === 0 ? 'a' : `b${n - 1}`},`.repeat(9)}]\n`).join('')}apps: *b8\n`,
  'apps:\n  - !!binary aGVsbG8=\n',
  'apps:\n  - !!js/function x\n    script: 2026-01-01\n',
  '? [a, b]\n: apps\n',
  '%YAML 9.9\n---\napps: []\n',
  '---\napps: []\n---\napps: []\n',
  'apps:\n\t- script: a\n',
  '"apps": {script: "\\ud800"}\n',
  '1: 2\napps: {? {a: b} : c}\n',
  `apps: ${'{a: '.repeat(3_000)}\n`,
  `apps: "${'\\'.repeat(100_001)}\n`,
];

const scripts = [
  (json) => `module.exports = ${json}\n`,
  (json) => `export default ${json}\n`,
  (json) => `module.exports = () => (${json})\n`,
  () => 'throw { toString() { throw 1 } }\n',
  () => 'process.exit(3)\n',
  () => "console.log('noise'); module.exports = { apps: [{ get script() { throw new Error('no') } }] }\n",
  () => 'const a = { apps: [] }; a.apps.push(a); module.exports = a\n',
  () => 'module.exports = { apps: [{ script: 10n, args: Symbol(1) }] }\n',
  () => 'module.exports = new Proxy({}, { get() { throw null } })\n',
  () => 'module.exports = async () => Promise.reject()\n',
  () => 'syntax error\n',
];

const snake = (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A config, mostly with something wrong. */
function configOf(random, directory) {
  const apps = Array.from({ length: random.between(0, 3) }, () => {
    const { instanceVar, ...app } = appOf(
      random,
      directory,
      random.pick(['web', 'api', `x${random.below(99)}`, '@a/b']),
    );
    const odd = random.oneIn(2)
      ? { [snake(random.pick([...settingNames, 'env_production', 'exec_mode', 'x-y']))]: oddValue(random) }
      : {};
    return { ...Object.fromEntries(Object.entries(app).map(([key, value]) => [snake(key), value])), ...odd };
  });
  const value = random.pick([
    { apps },
    { apps },
    apps,
    apps[0] ?? null,
    { apps: apps[0] },
    { apps, deploy: {}, module_conf: 1 },
  ]);
  return random.oneIn(2) ? mutated({ value }, random).value : value;
}

/** In the style of YAML, unless the writer cannot: what is nested too deep is JSON, which YAML contains. */
function yamlOf(value) {
  const json = JSON.stringify(value ?? null);
  try {
    return stringify(JSON.parse(json));
  } catch {
    return json;
  }
}

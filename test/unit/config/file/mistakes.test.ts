// What is wrong with a config file, told at once. Programs (JavaScript) are in test/integration/config-programs.test.ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig, resolveConfig } from '../../../../src/config/file/read.ts';
import type { NsvError } from '../../../../src/shared/errors.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const cwd = temporaryDirectory(afterAll);
const at = { cwd, env: { PATH: process.env.PATH! } };
beforeAll(() => {
  mkdirSync(join(cwd, 'sub'));
  for (const name of ['app.js', 'sub/only-here.js']) writeFileSync(join(cwd, name), '');
});

async function resolved(
  content: string,
  { name = 'nsv.config.yaml', environment }: { name?: string; environment?: string } = {},
) {
  writeFileSync(join(cwd, name), content);
  return resolveConfig(await readConfig({ word: name, environment }, at), at);
}

/** The lines below the message. */
async function mistakesOf(...file: Parameters<typeof resolved>): Promise<string[]> {
  const error = await resolved(...file).then(
    () => undefined,
    (reason: NsvError) => reason,
  );
  expect(error).toMatchObject({ code: 'BAD_CONFIG' });
  return error!.details!;
}

describe('a mistake in a config file', () => {
  it.each<[kind: string, content: string, told: string]>([
    [
      'a typo in a key',
      'apps:\n  - script: app.js\n    max_memory_restrat: 1G',
      ':3: apps[0].max_memory_restrat is not a known key; did you mean "max_memory_restart"?',
    ],
    ['an unknown key', 'apps:\n  - script: app.js\n    qqqqqqqqqq: 1', ':3: apps[0].qqqqqqqqqq is not a known key'],
    [
      'an unknown key of the file',
      'apps: [{ script: app.js }]\nnames: 1',
      ':2: names is not a known key; a config file has "apps"',
    ],
    [
      'a wrong type',
      'apps:\n  - script: app.js\n    wait_ready: 3',
      ':3: apps[0].wait_ready must be true or false, not 3',
    ],
    [
      'a wrong duration',
      'apps:\n  - script: app.js\n    kill_timeout: soon',
      ':3: apps[0].kill_timeout must be a duration such as 500, 5s or 1m, not "soon"',
    ],
    [
      'a wrong variable',
      'apps:\n  - script: app.js\n    env: { A: [1], B: { c: d }, E: }',
      ':3: apps[0].env must have a string, number, boolean, object or list for E, not null',
    ],
    ['a missing script', 'apps:\n  - name: web', ':2: apps[0] has no "script"'],
    ['a script that is nothing', 'apps:\n  - script:', ':2: apps[0] has no "script"'],
    ['a script that is no text', 'apps:\n  - script: [a]', ':2: apps[0].script must be a non-empty string, not ["a"]'],
    [
      'a script that is not there',
      'apps:\n  - name: web\n    exec: nope.js',
      ':3: apps[0].exec is invalid: "nope.js" is not a file',
    ],
    [
      'a script that is elsewhere',
      'apps:\n  - script: only-here.js',
      ':2: apps[0].script is invalid: "only-here.js" is not a file',
    ],
    ['a directory that is not there', 'apps:\n  - script: app.js\n    cwd: ./nope', ':3: apps[0].cwd is invalid: "'],
    [
      'an interpreter that is not there',
      'apps:\n  - script: app.js\n    interpreter: nope',
      ':3: apps[0].interpreter is invalid: the interpreter "nope" for "',
    ],
    [
      'two apps of one name',
      'apps:\n  - script: app.js\n  - script: ./app.js',
      ':3: apps[1] has the same name as an earlier app, "app": choose another "name"',
    ],
    [
      'one setting said twice',
      'apps:\n  - script: app.js\n    max_restarts: 1\n    maxRestarts: 2',
      ':4: apps[0].maxRestarts duplicates "max_restarts" with another value: keep one of them',
    ],
    [
      'a dependency that is none',
      'apps:\n  - script: app.js\n    depends_on: [ap]',
      ':3: apps[0].depends_on names "ap", which is not an app in this file; did you mean "app"?',
    ],
    [
      'a circle',
      'apps:\n  - { script: app.js, name: a, depends_on: b }\n  - { script: app.js, name: b, depends_on: [a] }',
      ':2: apps[0].depends_on is circular: a -> b -> a',
    ],
    [
      'a cron pattern that is none',
      'apps:\n  - script: app.js\n    cron: 0 25 * * *',
      ':3: apps[0].cron must be a cron pattern such as "0 4 * * *", not "0 25 * * *"',
    ],
    [
      'a .env that is not there',
      'apps:\n  - script: app.js\n    env_file: nope.env',
      ':3: apps[0].env_file cannot be read: ENOENT',
    ],
    ['no list', 'apps: 3', ':1: apps must be a list of apps, not 3'],
    ['no app', 'apps:\n  - app.js', ':2: apps[0] must be an object with "script", not "app.js"'],
    ['no apps', '\napps: []', ':2: apps is empty'],
    ['another word for apps', 'app: []', ':1: the file must have "apps"; did you mean that by "app"?'],
    ['an empty file', '', ': the file is empty: it must have "apps"'],
    ['a text', 'apps', ':1: the file must contain an object with "apps", not "apps"'],
    ['broken YAML', 'apps:\n  - script: app.js\n   name: [', ':3: '],
    ['an alias to nothing', 'apps:\n  - *nothing', ': '],
    ['an alias inside its own anchor', 'a: &a [*a]\napps: *a', ': an alias refers to what contains it'],
  ])('is reported with file, line, key and remedy: %s', async (_kind, content, told) => {
    const mistakes = await mistakesOf(content);
    expect(mistakes.map((line) => line.slice(0, 'nsv.config.yaml'.length + told.length))).toEqual([
      `nsv.config.yaml${told}`,
    ]);
  });

  it.each([
    ['has the word elsewhere', "const other = { level: 1, instances: 3 };\nconst instances = 'lots';", 'instances'],
    ['computes the key', "/*\n max_memory: 1\n*/\nconst key = ['max_' + 'memory'];", '[key[0]]: 7'],
    ['has it in a text only', 'const text = `\n watch: hello`;', "['wat' + 'ch']: 7"],
  ])('is reported without a line in JavaScript that %s', async (_what, before, setting) => {
    const source = `${before}\nmodule.exports = { apps: [{ script: 'app.js', ${setting} }] }`;
    const [told] = await mistakesOf(source, { name: 'without.config.cjs' });
    expect(told).toMatch(/^without\.config\.cjs: apps\[0\]/);
  });

  it('is reported with its line in JavaScript, if the key is there only once', async () => {
    const source = `// a comment
const port = 3000;
module.exports = { apps: [
  { name: 'a', script: 'app.js', kill_timeout: 'soon' },
  { name: 'b', script: 'app.js',
    'instancse': 3, kill_timeout: 'later' },
] }`;
    expect(await mistakesOf(source, { name: 'nsv.config.cjs' })).toEqual([
      'nsv.config.cjs: apps[0].kill_timeout must be a duration such as 500, 5s or 1m, not "soon"',
      'nsv.config.cjs: apps[1].kill_timeout must be a duration such as 500, 5s or 1m, not "later"',
      'nsv.config.cjs:6: apps[1].instancse is not a known key; did you mean "instances"?',
    ]);
  });

  it('is none that a file begins with a mark, or that an argument is empty', async () => {
    const mark = '\ufeff';
    writeFileSync(join(cwd, 'marked.env'), `${mark}FIRST=1\nLAST=2\n`);
    const json = `${mark}{"apps": [{"script": "app.js", "env_file": "marked.env", "args": ["", "a"]}]}`;
    const [app] = await resolved(json, { name: 'marked.json' });
    expect(app!.spec).toMatchObject({ args: ['', 'a'], fileEnv: { FIRST: '1', LAST: '2' } });
    const { spec } = (await resolved(`${mark}apps:\n  - script: app.js`))[0]!;
    expect(spec.name).toBe('app');
  });

  it.each<[what: string, name: string, shown: string | undefined]>([
    ['letters of any script', 'приложение-日本', undefined],
    ['marks, which are composed', 'nai\u0308ve', 'na\u00efve'],
    ['at most 128 bytes', '日'.repeat(42), undefined],
    ['brackets and other marks of titles', 'API (Python) [a=b] #1 & 2', undefined],
  ])('is none that a name has %s', async (_what, name, shown = name) => {
    const apps = [
      { script: 'app.js', name },
      { script: './app.js', name: 'last', depends_on: [name] },
    ];
    const [app] = await resolved(JSON.stringify({ apps }), { name: 'names.json' });
    expect(app!.spec.name).toBe(shown);
  });

  it.each([
    ['a;b', 'a name of letters, digits, spaces and . _ @ + : ( ) [ ] # & = / -'],
    ['a\u202eb', 'a name of letters, digits, spaces and . _ @ + : ( ) [ ] # & = / -'],
    ['日'.repeat(43), 'a name of at most 128 bytes'],
  ])('is a name such as %s', async (name, wanted) => {
    const told = await mistakesOf(JSON.stringify({ apps: [{ script: 'app.js', name }] }), { name: 'names.json' });
    expect(told).toEqual([
      `names.json:1: apps[0].name must be ${wanted}, other than "all" or a number, not ${JSON.stringify(name)}`,
    ]);
  });

  it('is reported with its line in JSON, even with comments', async () => {
    const json =
      '{\n  // a comment, "quoted"\n  "apps": [\n    { "script": "app.js", /* another\n    one */ "instancse": 3, },\n  ]\n}';
    expect(await mistakesOf(json, { name: 'pm2.json' })).toEqual([
      'pm2.json:5: apps[0].instancse is not a known key; did you mean "instances"?',
    ]);
    expect(await mistakesOf('{\n  "apps": [ { "script": "app.js" }\n}', { name: 'pm2.json' })).toEqual([
      expect.stringMatching(/^pm2\.json:\d: /),
    ]);
  });

  it.each<[what: string, app: string, shown: string]>([
    ['an expression', '"env": { "PORT": process.env.PORT || 3000 }', 'process.env.PORT || 3000'],
    ['a key without quotes', 'name: "web"', 'name'],
    ['single quotes', `"name": 'web'`, 'web'],
    ['a word', '"instances": max', 'max'],
    ['a number that only YAML knows', '"max_restarts": .inf', '.inf'],
    ['no value', '"name": ', 'nothing'],
    ['an alias', '"env": { "A": &a "1", "B": *a }', 'an alias'],
  ])('is what only YAML takes for a value, in JSON: %s', async (_, app, shown) => {
    const json = `{ "apps": [{ "script": "app.js",\n  ${app} }] }`;
    expect(await mistakesOf(json, { name: 'pm2.json' })).toEqual([
      `pm2.json:2: ${shown} is not JSON: text needs double quotes, and expressions a config file in JavaScript`,
    ]);
  });

  it('is not a name without quotes, or single quotes, in JSON5', async () => {
    const json = `{apps:[{script:'app.js',instances:+2,name:"web",env:{A:'http://a', B: 0x10, C: .5},},]}`;
    const spec = { name: 'web', instances: 2, fileEnv: { A: 'http://a', B: '16', C: '0.5' } };
    expect(await resolved(json, { name: 'nsv.json5' })).toMatchObject([{ spec }]);
    expect(await mistakesOf('{ apps: [{ script: app.js }] }', { name: 'nsv.json5' })).toHaveLength(1);
  });

  it('is reported at its own line after anchors and merges', async () => {
    const yaml = 'x-base: &base\n  script: app.js\napps:\n  - <<: *base\n    name: a\n    instances: many\n';
    expect(await mistakesOf(yaml)).toEqual([
      expect.stringMatching(/^nsv\.config\.yaml:6: apps\[0\]\.instances must be/),
    ]);
  });

  it('is reported once: a wrong name does not make a dependency on it wrong', async () => {
    const yaml =
      'apps:\n  - { script: app.js }\n  - { script: app.js, name: a*b }\n  - { script: app.js, name: c, depends_on: a*b }';
    expect(await mistakesOf(yaml)).toEqual([
      expect.stringMatching(/^nsv\.config\.yaml:3: apps\[1\]\.name must be a name/),
    ]);
  });

  it('is reported together with all others, in the order of the lines', async () => {
    const yaml =
      'apps:\n  - script: nope.js\n    instances: many\n  - script: app.js\n    watch_dlay: 1\n    cwd: nope';
    expect((await mistakesOf(yaml)).map((line) => /:(\d+)/.exec(line)?.[1])).toEqual(['2', '3', '5', '6']);
  });

  it('is reported for an environment that no app has or that is not an object', async () => {
    const yaml = 'apps:\n  - script: app.js\n    env_production: {}';
    expect(await mistakesOf(yaml, { environment: 'prodution' })).toEqual([
      'nsv.config.yaml:1: no app has "env_prodution" for --env prodution; did you mean "production"?',
    ]);
    expect(await resolved(yaml, { environment: 'production' })).toHaveLength(1);
    const wrong = 'apps:\n  - script: app.js\n    env_production: 1';
    expect(await mistakesOf(wrong, { environment: 'production' })).toEqual([
      'nsv.config.yaml:3: apps[0].env_production must be an object of variables, not 1',
    ]);
  });
});

// Config files that are programs: what can be wrong with them, and what cannot come through.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/file/load.ts';

const cwd = mkdtempSync(join(tmpdir(), 'nsv-programs-'));
const env = { PATH: process.env.PATH! };
afterAll(() => rmSync(cwd, { recursive: true }));

function load(name: string, source: string, environment?: string) {
  writeFileSync(join(cwd, name), source);
  return loadConfig({ word: name, environment }, { cwd, env });
}

describe('a config file that is a program', () => {
  it.each([
    ['a.config.cjs', 'module.exports = { apps: [1] }', { apps: [1] }],
    ['b.config.mjs', 'export default [1]', [1]],
    ['c.config.mjs', 'export const apps = [await 1]', { apps: [1] }],
    ['d.config.cjs', 'exports.__esModule = true; exports.default = { apps: [1] }', { apps: [1] }],
    ['e.config.cjs', 'module.exports = async ({ env }) => ({ apps: [env] })', { apps: ['stage'] }],
    ['f.config.mjs', 'export default Promise.resolve({ apps: [process.cwd()] })', { apps: [cwd] }],
    ['g.config.cjs', 'setInterval(() => {}, 1000); console.log("noise"); module.exports = [1]', [1]],
    ['h.config.cjs', 'module.exports = [1 / 0, -1 / 0, { a: NaN }]', [1 / 0, -1 / 0, { a: Number.NaN }]],
  ])('gives what it exports: %s', async (name, source, value) => {
    expect((await load(name, source, 'stage')).value).toEqual(value);
  });
});

describe('a JSON file for nsv-pm2', () => {
  const load = (name: string, content: string) => {
    writeFileSync(join(cwd, name), content);
    return loadConfig({ word: name, dialect: 'pm2' }, { cwd, env: { ...env, WHO: 'web' } });
  };

  it.each([
    ['strict.json', '{ "apps": [1] }'],
    ['comments.json', '// first\n{ "apps": [1] /* here */ } // last'],
    ['keys.json', '{ apps: [1,], }'],
    ['expression.json', '{ apps: [Math.max(0, 1)] }'],
    ['five.json5', "{ 'apps': [+1] }"],
  ])('is accepted: %s', async (name, content) => {
    expect((await load(name, content)).value).toEqual({ apps: [1] });
  });

  it('may read the environment', async () => {
    expect((await load('env.json', "[{ name: process.env.WHO || 'x' }]")).value).toEqual([{ name: 'web' }]);
  });

  it.each([
    ['a syntax error', 'broken.json', '{\n  apps: [1}\n}', 'broken.json:2: SyntaxError: '],
    ['a name that is not there', 'name.json', '{\n  apps: nothere\n}', 'name.json:2: ReferenceError: nothere is not'],
  ])('is rejected for %s, with its line', async (_kind, name, content, reported) => {
    const error = await load(name, content).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'BAD_CONFIG', details: [expect.stringContaining(reported)] });
  });

  it('is never executed by nsv', async () => {
    await expect(loadConfig({ word: 'expression.json' }, { cwd, env })).rejects.toMatchObject({
      details: [
        'expression.json:1: apps is not JSON: text needs double quotes, and expressions a config file in JavaScript',
      ],
    });
  });
});

describe('a mistake in a config program', () => {
  it.each([
    ['a syntax error', 's.config.cjs', 'module.exports = {\n  apps: [ ]]\n}', 's.config.cjs:2: SyntaxError: '],
    [
      'a syntax error of a module',
      's.config.mjs',
      'export default {\n  apps: [ ]]\n}',
      's.config.mjs:2: SyntaxError: ',
    ],
    ['an exception', 't.config.cjs', '\nthrow new Error("boom")', 't.config.cjs:2: Error: boom'],
    [
      'an exception in a function',
      'u.config.mjs',
      'export default () => {\n  nothere();\n}',
      'u.config.mjs:2: ReferenceError: ',
    ],
    ['a module that is not there', 'v.config.cjs', '\n\nrequire("./nothere")', 'v.config.cjs:3: Error: Cannot find'],
    [
      'code for data',
      'w.config.cjs',
      'module.exports = [{ name() {} }]',
      'w.config.cjs: TypeError: "name" is a function',
    ],
    ['an early end', 'x.config.cjs', 'process.exit(3)', 'x.config.cjs: ended with exit code 3 before'],
    ['a death', 'y.config.cjs', 'process.kill(process.pid, "SIGKILL")', 'y.config.cjs: ended with SIGKILL before'],
  ])('is reported with its place: %s', async (_kind, name, source, reported) => {
    const error = await load(name, source).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'BAD_CONFIG' });
    expect(error.details[0].slice(0, reported.length)).toBe(reported);
  });
});

it.each(['no.config.js', 'no.yaml', 'no.json'])('a missing config file is reported: %s', async (name) => {
  const error = await loadConfig({ word: name }, { cwd, env }).catch((reason) => reason);
  expect(error).toMatchObject({ code: 'BAD_CONFIG', details: [`${name}: there is no such file`] });
});

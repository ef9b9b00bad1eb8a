import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRunner, loadsSomething, stripFlags } from '../../../../src/config/program/interpreter.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const root = temporaryDirectory(afterAll);
const bin = join(root, 'bin');
const at = { cwd: root, env: { PATH: `/nowhere:${bin}` } };
const program = (name: string) => join(bin, name);

beforeAll(() => {
  mkdirSync(bin);
  symlinkSync(process.execPath, program('node'));
  symlinkSync(process.execPath, program('current'));
  for (const name of ['python3', 'python', 'sh', 'ruby', 'php', 'perl', 'deno', 'env']) {
    writeFileSync(program(name), '', { mode: 0o755 });
  }
  writeFileSync(program('bun'), 'not executable');
});

function file(name: string, content = '', mode = 0o644): string {
  const path = join(root, name);
  writeFileSync(path, content, { mode });
  return path;
}

describe('a file with a known extension', () => {
  it.each([
    ['a.js', 'node', true],
    ['a.mjs', 'node', true],
    ['a.cjs', 'node', true],
    ['a.py', 'python3', false],
    ['a.sh', 'sh', false],
    ['a.rb', 'ruby', false],
    ['a.php', 'php', false],
    ['a.pl', 'perl', false],
  ])('is run by an interpreter on the PATH: %s by %s', (name, interpreter, node) => {
    const runner = findRunner(file(name), undefined, ['--flag'], at);
    expect(runner).toEqual({ interpreter: program(interpreter), interpreterArgs: ['--flag'], node });
  });

  it('is run by the Node that runs nsv if none is on the PATH', () => {
    const runner = findRunner(file('a.js'), undefined, [], { ...at, env: { PATH: '/nowhere' } });
    expect(runner).toMatchObject({ interpreter: process.execPath, node: true });
  });

  it('is rejected with the name of the missing interpreter', () => {
    const elsewhere = { ...at, env: { PATH: '/nowhere' } };
    expect(() => findRunner(file('a.py'), undefined, [], elsewhere)).toThrow(
      /the interpreter "python3" for ".*a.py" was not found/,
    );
  });
});

describe('a file without a known extension', () => {
  it.each([
    ['#!/usr/bin/env node\n', 'node', [], true],
    ['#!/usr/bin/env -S node --no-warnings --trace-exit\r\n', 'node', ['--no-warnings', '--trace-exit'], true],
    ['#! /usr/bin/env deno\n', 'deno', [], false],
    [`#!${bin}/python3 -u\nprint()`, 'python3', ['-u'], false],
    [`#!${bin}/env A=1 node\n`, 'env', ['A=1', 'node'], false],
    [`#!${bin}/env -S A=1 node\n`, 'env', ['-S', 'A=1', 'node'], false],
  ])('is run by its first line: %j', (line, interpreter, args, node) => {
    const runner = findRunner(file('tool', line), undefined, ['--mine'], at);
    expect(runner).toEqual({ interpreter: program(interpreter), interpreterArgs: [...args, '--mine'], node });
  });

  it('is executed directly if it is executable', () => {
    const runner = findRunner(file('binary', '\x7fELF', 0o755), undefined, [], at);
    expect(runner).toEqual({ interpreter: undefined, interpreterArgs: [], node: false });
  });

  it('is rejected if nothing determines how to run it', () => {
    expect(() => findRunner(file('notes'), undefined, [], at)).toThrow(
      'notes" cannot be executed: it has no known file extension',
    );
  });
});

describe('an interpreter named by the user', () => {
  it.each([
    ['python3', 'python3', false],
    ['bin/deno', 'deno', false],
    ['current', 'current', true],
  ])('is looked up on the PATH or as a path: %s', (wish, name, node) => {
    expect(findRunner(file('a.js'), wish, [], at)).toMatchObject({ interpreter: program(name), node });
  });

  it('must be executable', () => {
    expect(() => findRunner(file('a.js'), 'bun', [], at)).toThrow('the interpreter "bun" for');
  });

  it('makes the file run directly if it is "none"', () => {
    expect(findRunner(file('b.js'), 'none', [], at)).toMatchObject({ interpreter: undefined, node: false });
  });
});

describe('TypeScript', () => {
  it.each([
    ['22.18.0', 'strip', []],
    ['26.1.0', 'strip', []],
    ['22.17.1', false, ['--experimental-strip-types']],
    ['22.6.0', false, ['--experimental-strip-types']],
    ['23.5.0', false, ['--experimental-strip-types']],
  ] as const)('runs on Node %s, which strips: %s', (version, strips, flags) => {
    expect(stripFlags({ version, strips }, '/a.ts')).toEqual(flags);
  });

  it.each(['20.19.0', '22.5.1', '24.0.0'])('cannot run on Node %s, which does not strip types', (version) => {
    expect(() => stripFlags({ version, strips: false }, '/a.ts')).toThrow(
      `"/a.ts" is TypeScript, which Node ${version} does not run by itself`,
    );
  });

  it('is left to a loader that the user names', () => {
    const { interpreterArgs } = findRunner(file('a.ts'), undefined, ['--import', 'tsx'], at);
    expect(interpreterArgs).toEqual(['--import', 'tsx']);
    expect(loadsSomething(['--loader=ts-node/esm'], {})).toBe(true);
    expect(loadsSomething([], { NODE_OPTIONS: '--no-warnings --import tsx' })).toBe(true);
    expect(loadsSomething(['--important', '--max-old-space-size=9'], {})).toBe(false);
  });

  it('is run with tsx on any Node if its package has that, by its name where the app can find it', () => {
    const own = join(root, 'own');
    const bins = join(own, 'node_modules', '.bin');
    mkdirSync(join(own, 'node_modules', 'tsx'), { recursive: true });
    mkdirSync(bins);
    writeFileSync(join(own, 'node_modules', 'tsx', 'package.json'), '{ "main": "main.js" }');
    writeFileSync(join(own, 'node_modules', 'tsx', 'main.js'), '');
    for (const name of ['tsx', 'ts-node', 'nodemon'])
      writeFileSync(join(bins, name), '#!/usr/bin/env node\n', { mode: 0o755 });
    const script = file('own/app.ts');
    const argsFor = (word: string | undefined, cwd: string) =>
      findRunner(script, word, ['--mine'], { ...at, cwd }, cwd).interpreterArgs;
    expect(argsFor(undefined, own)).toEqual(['--import', 'tsx', '--mine']);
    expect(argsFor(undefined, root)).toEqual(['--import', join(own, 'node_modules', 'tsx', 'main.js'), '--mine']);
    // Other programs of packages are programs of Node, whose processes share their ports. Not if they start another process.
    const runner = findRunner(script, 'ts-node', [], { ...at, cwd: own });
    expect(runner).toEqual({ interpreter: program('node'), interpreterArgs: [join(bins, 'ts-node')], node: true });
    // As in a reload of such an app with another file.
    expect(findRunner(script, 'node', runner.interpreterArgs, { ...at, cwd: own })).toEqual(runner);
    for (const [word, args] of [
      ['nodemon', []],
      ['ts-node', ['--esm']],
    ] as [string, string[]][])
      expect(findRunner(script, word, args, { ...at, cwd: own })).toMatchObject({ node: false });
  });

  it('depends on the Node that will run it', () => {
    writeFileSync(program('other-node'), `#!/bin/sh\necho '{"version":"22.7.0","strips":false}'\n`, { mode: 0o755 });
    symlinkSync(program('other-node'), program('nodejs'));
    const { interpreterArgs } = findRunner(file('a.mts'), 'nodejs', ['--x'], at);
    expect(interpreterArgs).toEqual(['--experimental-strip-types', '--x']);
  });
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRunner, loadsSomething, stripFlags } from '../../../../src/config/program/interpreter.ts';

const root = mkdtempSync(join(tmpdir(), 'nsv-interpreter-'));
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
afterAll(() => rmSync(root, { recursive: true }));

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
  ])('%s is run by the %s of the PATH', (name, interpreter, node) => {
    const runner = findRunner(file(name), undefined, ['--flag'], at);
    expect(runner).toEqual({ interpreter: program(interpreter), interpreterArgs: ['--flag'], node });
  });

  it('is run by the Node that runs nsv where none is on the PATH', () => {
    const runner = findRunner(file('a.js'), undefined, [], { ...at, env: { PATH: '/nowhere' } });
    expect(runner).toMatchObject({ interpreter: process.execPath, node: true });
  });

  it('says which interpreter is missing', () => {
    const elsewhere = { ...at, env: { PATH: '/nowhere' } };
    expect(() => findRunner(file('a.py'), undefined, [], elsewhere)).toThrow(
      /the interpreter "python3" for ".*a.py" was not found/,
    );
  });
});

describe('a file without one', () => {
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

  it('is executed when it may be', () => {
    const runner = findRunner(file('binary', '\x7fELF', 0o755), undefined, [], at);
    expect(runner).toEqual({ interpreter: undefined, interpreterArgs: [], node: false });
  });

  it('cannot be run when nothing says how', () => {
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
  ])('%s is looked for on the PATH or as a path', (wish, name, node) => {
    expect(findRunner(file('a.js'), wish, [], at)).toMatchObject({ interpreter: program(name), node });
  });

  it('is no program unless it may be executed', () => {
    expect(() => findRunner(file('a.js'), 'bun', [], at)).toThrow('the interpreter "bun" for');
  });

  it('of "none" executes the file', () => {
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

  it.each(['20.19.0', '22.5.1', '24.0.0'])('cannot run on Node %s that does not strip', (version) => {
    expect(() => stripFlags({ version, strips: false }, '/a.ts')).toThrow(
      `"/a.ts" is TypeScript, which Node ${version} does not run by itself`,
    );
  });

  it('is left to what the user loads', () => {
    const { interpreterArgs } = findRunner(file('a.ts'), undefined, ['--import', 'tsx'], at);
    expect(interpreterArgs).toEqual(['--import', 'tsx']);
    expect(loadsSomething(['--loader=ts-node/esm'], {})).toBe(true);
    expect(loadsSomething([], { NODE_OPTIONS: '--no-warnings --import tsx' })).toBe(true);
    expect(loadsSomething(['--important', '--max-old-space-size=9'], {})).toBe(false);
  });

  it('asks the Node that is to be used', () => {
    writeFileSync(program('other-node'), `#!/bin/sh\necho '{"version":"22.7.0","strips":false}'\n`, { mode: 0o755 });
    symlinkSync(program('other-node'), program('nodejs'));
    const { interpreterArgs } = findRunner(file('a.mts'), 'nodejs', ['--x'], at);
    expect(interpreterArgs).toEqual(['--experimental-strip-types', '--x']);
  });
});

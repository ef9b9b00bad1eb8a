import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseNodeWords } from '../../../../src/config/program/node-words.ts';

const split = (line: string) => line.split(' ').filter((word) => word !== '');

describe('a command line of Node', () => {
  it.each([
    ['app.js', '', 'app.js', ''],
    ['app.js --port 80', '', 'app.js', '--port 80'],
    ['--max-old-space-size=512 app.js -i 4', '--max-old-space-size=512', 'app.js', '-i 4'],
    ['--import tsx app.ts', '--import tsx', 'app.ts', ''],
    ['--import=tsx app.ts', '--import=tsx', 'app.ts', ''],
    ['-r ./a.js --require b.js app.js', '-r ./a.js --require b.js', 'app.js', ''],
    ['--inspect app.js', '--inspect', 'app.js', ''],
    ['--enable-source-maps -C dev -- app.js -- x', '--enable-source-maps -C dev', 'app.js', '-- x'],
    ['--env-file .env .', '--env-file .env', '.', ''],
    ['--print-bytecode app.js', '--print-bytecode', 'app.js', ''],
  ])('has options, a program and its arguments: %s', (line, options, script, args) => {
    expect(parseNodeWords(split(line))).toEqual({ options: split(options), script, args: split(args) });
  });

  it.each([
    '',
    '-e 1',
    '-p 1',
    '-pe 1',
    '--eval=1',
    '--print x',
    '-c app.js',
    '--check app.js',
    '-v',
    '--version',
    '--help',
    '-i',
    '-',
    '- app.js',
    '--test',
    '--test a.js',
    '--test-only a.js',
    '--run start',
    '--watch app.js',
    '--import tsx',
    '--watch-path=. app.js',
    '--input-type=module',
    '--',
    '--prof-process log',
    '--build-snapshot app.js',
    '--v8-options',
  ])('runs no program in its own process: "%s"', (line) => {
    expect(parseNodeWords(split(line))).toBeUndefined();
  });
});

/** Prints the options of this Node whose value may be the next word, and the short names of them. */
const ownTable = `
const { internalBinding } = require('internal/test/binding');
const { getCLIOptions, getCLIOptionsInfo = getCLIOptions, types } = internalBinding('options');
const { options, aliases } = getCLIOptionsInfo();
const kinds = [types.kInteger, types.kUInteger, types.kString, types.kStringList, types.kHostPort];
const named = [...options].filter(([, { type }]) => kinds.includes(type)).map(([name]) => name);
const short = [...aliases].filter(([name, [first, second]]) => !/[= ]/.test(name) && !second && named.includes(first));
console.log(JSON.stringify([...named, ...short.map(([name]) => name)].filter((name) => name.startsWith('-'))));`;

it('every option of this Node that may take the next word as its value is recognised', async () => {
  const options = ['--expose-internals', '--no-warnings', '-e', ownTable];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  const names = JSON.parse(stdout) as string[];
  expect(names).toContain('--import');
  // Node has it as an alias, but expands it with a value.
  const exceptions = ['--experimental-default-config-file'];
  const misread = names.filter(
    (name) => !exceptions.includes(name) && parseNodeWords([name, 'value', 'app.js'])?.script === 'value',
  );
  expect(misread).toEqual([]);
});

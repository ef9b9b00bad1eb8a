import { describe, expect, it } from 'vitest';
import { parseShim, parseTsxWords, startsAnother, titleOf } from '../../../../src/config/program/scripts/bins.ts';
import { parsePackageCommand } from '../../../../src/config/program/scripts/package-command.ts';
import { parsePlainLine } from '../../../../src/config/program/scripts/plain-line.ts';

const split = (line: string) => line.split(' ').filter((word) => word !== '');

describe('a command line of a package manager', () => {
  it.each([
    ['npm start', 'script', 'start', ''],
    ['npm run dev', 'script', 'dev', ''],
    ['npm run-script dev', 'script', 'dev', ''],
    ['npm -s run dev --silent', 'script', 'dev', ''],
    ['npm start x', 'script', 'start', 'x'],
    ['npm start -- --port 80 -- y', 'script', 'start', '--port 80 -- y'],
    ['npm exec tsx app.ts', 'program', 'tsx', 'app.ts'],
    ['npm exec -- tsx app.ts', 'program', 'tsx', 'app.ts'],
    ['npm exec tsx app.ts -- --port 80', 'program', 'tsx', 'app.ts --port 80'],
    ['npx tsx app.ts --port 80', 'program', 'tsx', 'app.ts --port 80'],
    ['npx --no-install next start', 'program', 'next', 'start'],
    ['yarn start --port 80', 'script', 'start', '--port 80'],
    ['yarn dev', 'either', 'dev', ''],
    ['yarn run next start', 'either', 'next', 'start'],
    ['pnpm start', 'script', 'start', ''],
    ['pnpm exec next start', 'program', 'next', 'start'],
  ])('%s runs the %s "%s" with the arguments "%s"', (line, kind, name, args) => {
    expect(parsePackageCommand(split(line))).toEqual({ kind, name, args: split(args) });
  });

  it.each(['npm --prefix api start', 'npm --prefix=api start', 'yarn --cwd api start', 'pnpm -C api start'])(
    'may name the directory: %s',
    (line) => {
      expect(parsePackageCommand(split(line))).toMatchObject({ name: 'start', directory: 'api' });
    },
  );

  it.each([
    '',
    'npm',
    'npm run',
    'npm install',
    'npm test',
    'npm start --workspaces',
    'npm -w api start',
    'npm run --if-present x',
    'yarn',
    'yarn install',
    'pnpm dlx tsx',
    'npx',
    'npx -p tsx tsx',
    'npx --yes -c x',
    'bun start',
    'constructor x',
  ])('is not analysed: "%s"', (line) => {
    expect(parsePackageCommand(split(line))).toBeUndefined();
  });
});

describe('a script', () => {
  it.each([
    ['node server.js', {}, ['node', 'server.js']],
    ['  node  dist/main.js --port=80 ', {}, ['node', 'dist/main.js', '--port=80']],
    ['NODE_ENV=production A= node x', { NODE_ENV: 'production', A: '' }, ['node', 'x']],
    ['exec node x', {}, ['node', 'x']],
    [`node "a b.js" 'it is $5' "it's"`, {}, ['node', 'a b.js', 'it is $5', "it's"]],
    [
      'NODE_OPTIONS="--max-old-space-size=300" next start',
      { NODE_OPTIONS: '--max-old-space-size=300' },
      ['next', 'start'],
    ],
    ['node x A=b', {}, ['node', 'x', 'A=b']],
  ])('is one plain command: %s', (line, variables, words) => {
    expect(parsePlainLine(line)).toEqual({ variables, words });
  });

  it.each([
    'a && b',
    'a; b',
    'a | b',
    'a > log',
    'a &',
    'node $FILE',
    'node "$FILE"',
    'node `which x`',
    'node *.js',
    '(node x)',
    'node a\nnode b',
    'node ~/x',
    'node x # note',
    'node "a',
    "node 'a",
    '',
    'A=b',
    'exec',
    'node a\\ b',
    '! node x',
  ])('needs a shell, or runs nothing: %j', (line) => {
    expect(parsePlainLine(line)).toBeUndefined();
  });
});

describe('a program of a package', () => {
  it.each([
    ['nodemon app.js', true],
    ['next dev', true],
    ['next', true],
    ['next start', false],
    ['nest start', true],
    ['ts-node --esm app.ts', true],
    ['ts-node app.ts', false],
    ['vite preview', false],
    ['constructor', false],
  ])('"%s" starts another process: %s', (line, is) => {
    const [name = '', ...args] = split(line);
    expect(startsAnother(name, args)).toBe(is);
  });

  it.each([
    ['app.ts -v', {}, '', 'app.ts -v'],
    [
      '--tsconfig a.json --no-cache --inspect app.ts',
      { TSX_TSCONFIG_PATH: 'a.json', TSX_DISABLE_CACHE: '1' },
      '--inspect',
      'app.ts',
    ],
    ['--tsconfig=a.json --env-file .env app.ts', { TSX_TSCONFIG_PATH: 'a.json' }, '--env-file .env', 'app.ts'],
  ])('tsx %s is Node with a loader', (line, variables, options, words) => {
    expect(parseTsxWords(split(line))).toEqual({ variables, options: split(options), words: split(words) });
  });

  it.each(['', 'watch app.ts', '--inspect watch app.ts', '-e 1', '--test'])('tsx %s is more than a loader', (line) => {
    expect(parseTsxWords(split(line))).toBeUndefined();
  });

  it('is found in the shell script that pnpm writes for it', () => {
    const shim = [
      '#!/bin/sh',
      'basedir=$(dirname "$(echo "$0" | sed -e \'s,\\\\,/,g\')")',
      'if [ -z "$NODE_PATH" ]; then',
      '  export NODE_PATH="/srv/node_modules/.pnpm/node_modules"',
      'else',
      '  export NODE_PATH="/srv/node_modules/.pnpm/node_modules:$NODE_PATH"',
      'fi',
      'if [ -x "$basedir/node" ]; then',
      '  exec "$basedir/node"  "$basedir/../next/dist/bin/next" "$@"',
      'else',
      '  exec node  "$basedir/../next/dist/bin/next" "$@"',
      'fi',
    ];
    const nodePath = '/srv/node_modules/.pnpm/node_modules';
    expect(parseShim(shim.join('\n'))).toEqual({ target: '../next/dist/bin/next', nodePath });
    expect(parseShim('#!/bin/sh\nexec python3 "$@"\n')).toBeUndefined();
  });
});

it.each([
  ['api', 'start', 'api'],
  ['@acme/api', 'start', 'api'],
  ['@acme/api', 'worker', 'api-worker'],
])('the script of %s called %s names the app %s', (own, script, name) => {
  expect(titleOf(own, script)).toBe(name);
});

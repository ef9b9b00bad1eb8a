// Which file a path that leads nowhere was probably meant to be.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { noSuchScript } from '../../../../src/config/program/similar-file.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let cwd: string;

beforeEach(() => {
  cwd = temporaryDirectory();
});

it.each([
  ['one that is spelled alike', 'sevrer.js', ['server.js', 'README.md'], 'server.js'],
  ['one in the same directory', './src/sever.js', ['src/server.js'], 'src/server.js'],
  ['one with another extension', 'app.js', ['app.ts', 'app.test.ts'], 'app.ts'],
  ['one without its extension', 'server', ['server.mjs', 'server.log'], 'server.mjs'],
  ['one that is in a usual directory', 'worker.js', ['dist/worker.js'], 'dist/worker.js'],
  ['the only one with a usual name', 'app.js', ['server.js', 'jest.config.js'], 'server.js'],
  ['a program in another language', 'ap.py', ['api.py'], 'api.py'],
  ['none of several', 'worker.js', ['server.js', 'index.js'], undefined],
  ['none for a word that is no file', 'migrate', ['server.js'], undefined],
  ['none for a command line', 'serve .js', ['server.js'], undefined],
  ['none where there is nothing', 'gone/app.js', ['server.js'], undefined],
])('the suggestion is %s: for %s', (_, word, files, guess) => {
  for (const file of files) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), '');
  }
  const { message } = noSuchScript(word, cwd);
  expect(message).toBe(
    `"${word}" is not a file, a program on the PATH, or a known app${guess ? `; did you mean "${guess}"?` : ''}`,
  );
});

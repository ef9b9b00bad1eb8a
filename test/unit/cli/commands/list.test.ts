import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../../../src/ipc/protocol.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';
import { appView, processView, run } from '../fake-context.ts';

const home = temporaryDirectory(afterAll);

beforeAll(() => {
  writeFileSync(join(home, 'package.json'), '{ "version": "1.4.0" }');
  mkdirSync(join(home, 'old'));
  writeFileSync(join(home, 'old/package.json'), '{}');
});

const daemon: Partial<Client> = {
  list: async () => [
    processView({ name: 'old', status: 'stopped' }),
    processView({ id: 1, name: 'web', planned: 3 }),
    processView({ id: 2, name: 'gone' }),
  ],
  describe: async () => [
    appView({ name: 'old', watch: ['src'], script: join(home, 'old/app.js') }),
    appView({ name: 'web', watch: ['src'], script: join(home, 'app.js') }),
  ],
};
const list = async (...words: string[]) => {
  const { stdout, calls } = await run(['list', ...words], { daemon });
  const rows = stdout.trimEnd().split('\n').slice(1);
  return { rows: rows.map((row) => row.trim().split(/ {2,}/)), asked: calls.map(([method]) => method) };
};

it('nsv list reads columns from the files and settings of an app', async () => {
  const { rows } = await list('--columns', 'name,version,user,watching,planned');
  const { username } = userInfo();
  expect(rows).toEqual([
    ['old', '-', username, '-', '1'],
    ['web', '1.4.0', username, 'yes', '3'],
    ['gone', '-', '-', '-', '1'],
  ]);
});

it('nsv list sorts by a column that it looks up', async () => {
  expect((await list('--sort', 'version', '--columns', 'name')).rows).toEqual([['web'], ['old'], ['gone']]);
});

it('nsv list looks up columns only on request', async () => {
  expect((await list()).asked).toEqual(['list']);
  expect((await list('--columns', 'name,planned', '--sort', 'planned')).asked).toEqual(['list']);
});

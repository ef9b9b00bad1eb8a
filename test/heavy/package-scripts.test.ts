// Package scripts with the real tsx, ts-node and Next.js.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { ask, freePort } from '../helpers/http.ts';
import { homeForEach, type RunOptions } from '../helpers/nsv.ts';
import { installPackages } from '../helpers/packages.ts';
import { finish } from '../helpers/program.ts';
import { reloaded } from '../helpers/under-way.ts';

const nsv = homeForEach();
const names = ['tsx', 'ts-node', 'typescript@5', '@types/node', 'next@15', 'react@19', 'react-dom@19'];
const packages = await installPackages(...names);

const server = `import * as http from 'node:http';
enum Status { Fine = 200 }
http.createServer((_, response) => {
  response.statusCode = Status.Fine;
  setTimeout(() => response.end(String(process.pid)), 20);
}).listen(Number(process.env.PORT));
`;

/** Starts two instances as "web" and reloads them under load. */
async function survives(words: string[], port: number, { cwd }: Required<Pick<RunOptions, 'cwd'>>): Promise<void> {
  const env = { PORT: String(port), NEXT_TELEMETRY_DISABLED: '1' };
  const options = ['--name', 'web', '-i', '2'];
  const { code, stderr } = await nsv.runWith({ cwd, env }, 'start', ...options, ...words);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  await eventually(async () => (await ask(port)).ok);
  expect((await nsv.list('web')).map(({ ports }) => ports)).toEqual([[String(port)], [String(port)]]);
  expect((await reloaded(nsv, port)).length).toBeGreaterThan(0);
}

it
  .skipIf(packages.missing)
  .each([
    [['npx', '--', 'tsx', 'server.ts']],
    [['npm run tsx']],
    [['node_modules/.bin/tsx', '--', 'server.ts']],
    [['server.ts', '--interpreter', 'tsx']],
    [['npx ts-node server.ts']],
  ])('a TypeScript app reloads without losing a request: %j', async (words) => {
  nsv.script('server.ts', server);
  // ts-node needs both to take the file for CommonJS.
  nsv.script('tsconfig.json', JSON.stringify({ compilerOptions: { module: 'commonjs', types: ['node'] } }));
  nsv.script('package.json', JSON.stringify({ name: 'shop', type: 'commonjs', scripts: { tsx: 'tsx server.ts' } }));
  packages.link(nsv.directory);
  await survives(words, await freePort(), { cwd: nsv.directory });
});

it.skipIf(packages.missing)('Next.js reloads without losing a request', async () => {
  const cwd = nsv.directory;
  mkdirSync(join(cwd, 'pages'));
  writeFileSync(join(cwd, 'pages', 'index.js'), 'export default () => "hello";\n');
  nsv.script('package.json', JSON.stringify({ name: 'shop', scripts: { start: 'next start' } }));
  packages.link(cwd);
  const built = await finish(join(cwd, 'node_modules', '.bin', 'next'), ['build'], { cwd });
  expect(built).toMatchObject({ code: 0 });
  await survives(['npm', '--', 'start'], await freePort(), { cwd });
});

// Twelve frameworks, each by `npm start` and by its own server, in three reloads under load.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type Framework, frameworks } from '../helpers/frameworks.ts';
import { ask, freePort } from '../helpers/http.ts';
import { homeForEach } from '../helpers/nsv.ts';
import { install } from '../helpers/packages.ts';
import { finish } from '../helpers/program.ts';
import { reloaded } from '../helpers/under-way.ts';

const nsv = homeForEach();

it.for(frameworks)('$name reloads without losing a request', async (framework, { skip }) => {
  const { name, packages, build, start, own, path = '/', env = {} } = framework;
  const cwd = nsv.directory;
  write(cwd, framework);
  const missing = await install(cwd, packages);
  if (missing !== undefined) skip(missing);
  if (build) {
    const { code, stdout, stderr } = await finish(join(cwd, 'node_modules/.bin', build[0]), build.slice(1), {
      cwd,
      env: { ...process.env, ...env },
    });
    expect(code, stdout + stderr).toBe(0);
  }
  for (const words of [['npm', '--', 'start'], own]) {
    const port = await freePort();
    const options = ['--name', 'web', '-i', '2'];
    const vars = { ...env, PORT: String(port), NODE_ENV: 'production' };
    const started = await nsv.runWith({ cwd, env: vars }, 'start', ...options, ...words);
    expect(started).toMatchObject({ code: 0 });
    const answer = await ask(port, { path });
    expect(answer).toMatchObject({ ok: true, body: expect.stringContaining('hello') });
    const answers = await reloaded(nsv, port, { path }, 3);
    expect(answers.filter((body) => !body.includes('hello'))).toEqual([]);
    console.log(`${name}, ${words.join(' ')} (${start}): 0 of ${answers.length}`);
    await nsv.ok('delete', 'web');
  }
});

function write(cwd: string, { files, packages, start, isModule = false }: Framework): void {
  const dependencies = Object.fromEntries(packages.map((name) => /^(.+?)(?:@([^@]+))?$/.exec(name)!.slice(1)));
  const type = isModule ? 'module' : undefined;
  const manifest = JSON.stringify({ name: 'shop', private: true, type, scripts: { start }, dependencies });
  for (const [file, text] of Object.entries({ ...files, 'package.json': manifest })) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
  }
}

// The script of docs/ci.md, which deploys a release.
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach, launcher } from '../../helpers/nsv.ts';
import { finish } from '../../helpers/program.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
const page = readFileSync(join(import.meta.dirname, '../../../docs/ci.md'), 'utf8');
const shown = (language: string, of: string) =>
  [...page.matchAll(/```(\w+)\n(.*?)```/gs)].find(([, kind, text]) => kind === language && text?.includes(of))![2]!;

it('the deploy script starts the first release, replaces it with the next, and keeps that when the third is broken', async () => {
  const port = await freePort();
  const at = (...path: string[]) => join(nsv.directory, ...path);
  const release = (name: string, source: string) => {
    mkdirSync(at('releases', name), { recursive: true });
    const manifest = { name: 'shop', version: '1.0.0' };
    const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: { '': manifest } };
    writeFileSync(at('releases', name, 'package.json'), JSON.stringify(manifest));
    writeFileSync(at('releases', name, 'package-lock.json'), JSON.stringify(lock));
    writeFileSync(at('releases', name, 'server.js'), source);
  };
  const answering = (text: string) =>
    `require('http').createServer((_, response) => response.end('${text}')).listen(${port});`;
  release('1', answering('one'));
  release('2', answering('two'));
  release('3', "throw new Error('no database');");
  writeFileSync(at('nsv.config.js'), shown('js', 'apps:'));
  writeFileSync(at('deploy.sh'), shown('sh', 'deploy.sh'), { mode: 0o755 });
  const env = { ...process.env, NSV_HOME: nsv.home, PATH: `${join(launcher, '..')}:${process.env.PATH}` };
  const deploy = (name: string) => finish(at('deploy.sh'), [name], { env });

  expect(await deploy('1')).toMatchObject({ code: 0 });
  expect(await ask(port)).toMatchObject({ body: 'one' });
  const visitors = new Visitors(8, { port });
  await eventually(() => visitors.answers.length > 16);
  expect(await deploy('2')).toMatchObject({ code: 0 });
  expect(await deploy('3')).toMatchObject({ code: 1, stderr: expect.stringContaining('no database') });
  expect(await visitors.leave()).toEqual([]);
  expect([await ask(port), readlinkSync(at('current'))]).toMatchObject([{ body: 'two' }, 'releases/2']);
  expect(await nsv.list()).toMatchObject([{ name: 'shop' }, { name: 'shop' }]);
});

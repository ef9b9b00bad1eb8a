// Apps that listen elsewhere if a package says that their port is taken.
import { expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { ask, freePort } from '../helpers/http.ts';
import { homeForEach } from '../helpers/nsv.ts';
import { installPackages } from '../helpers/packages.ts';
import { reloaded } from '../helpers/under-way.ts';

const nsv = homeForEach();

/** How the app finds its port, instead of `wanted` if need be. */
const common = {
  'detect-port@1': `require('detect-port')(wanted)`,
  'detect-port-alt@1': `require('detect-port-alt')(wanted, '0.0.0.0')`,
  'find-free-port@2': `require('find-free-port')(wanted).then(([port]) => port)`,
  'get-port@5': `require('get-port')({ port: wanted })`,
  'get-port-please@3': `require('get-port-please').getPort({ port: wanted })`,
  'is-port-reachable@3': `require('is-port-reachable')(wanted, { host: 'localhost' }).then((isTaken) => (isTaken ? 0 : wanted))`,
  'portfinder@1': `require('portfinder').getPortPromise({ port: wanted })`,
  'portscanner@2': `require('portscanner').findAPortNotInUse(wanted, wanted + 9, '127.0.0.1')`,
  'tcp-port-used@1': `require('tcp-port-used').check(wanted, '127.0.0.1').then((isTaken) => (isTaken ? 0 : wanted))`,
};
/** Other versions of the same packages, which have to be in a folder of their own. */
const newer = {
  'detect-port@2': `require('detect-port').detect(wanted)`,
  'get-port@7': `import('get-port').then(({ default: getPort }) => getPort({ port: wanted }))`,
};

const packages = await installPackages(...Object.keys(common), 'serve@14');
const newerPackages = await installPackages(...Object.keys(newer));

const ports = async () => (await nsv.list('web')).map(({ status, ports }) => `${status}: ${ports.join()}`);

/** Starts two instances, and replaces both in every way. */
async function keepsItsPort(port: number, ...start: string[]): Promise<void> {
  const both = Array(2).fill(`online: ${port}`);
  await nsv.runWith({ cwd: nsv.directory }, 'start', '--name', 'web', '-i', '2', ...start);
  expect(await ports()).toEqual(both);
  await nsv.ok('restart', 'web');
  expect(await ports()).toEqual(both);
  await eventually(async () => (await ask(port)).ok);
  expect((await reloaded(nsv, port)).length).toBeGreaterThan(0);
  expect(await ports()).toEqual(both);
  const killed = (await nsv.list('web')).map(({ pid }) => pid ?? 0);
  for (const pid of killed) process.kill(pid, 'SIGKILL');
  await eventually(async () =>
    (await nsv.list('web')).every(({ pid, status }) => !killed.includes(pid ?? 0) && status === 'online'),
  );
  expect(await ports()).toEqual(both);
}

const cases = [
  ...Object.entries(common).map(([name, find]) => ({ name, find, installed: packages })),
  ...Object.entries(newer).map(([name, find]) => ({ name, find, installed: newerPackages })),
];

for (const { name, find, installed } of cases)
  it.skipIf(installed.missing)(`an app that uses ${name} keeps its port`, async () => {
    installed.link(nsv.directory);
    const port = await freePort();
    const app = nsv.script(
      'web.js',
      `const wanted = ${port};
      ${find}.then((port) =>
        require('http').createServer((_, response) => setTimeout(() => response.end('hello'), 20)).listen(port));`,
    );
    await keepsItsPort(port, app);
  });

it.skipIf(packages.missing)('serve keeps its port', async () => {
  packages.link(nsv.directory);
  nsv.script('index.html', 'hello');
  const port = await freePort();
  await keepsItsPort(port, 'node_modules/.bin/serve', '--', '-l', String(port));
});

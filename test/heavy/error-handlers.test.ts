// The handlers of uncaught errors that many apps have, with the packages themselves.
import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { ask, freePort } from '../helpers/http.ts';
import { homeForEach } from '../helpers/nsv.ts';
import { installPackages } from '../helpers/packages.ts';
import { PassersBy } from '../helpers/passers-by.ts';
import { Visitors } from '../helpers/visitors.ts';

const nsv = homeForEach();
const packages = await installPackages('@sentry/node', 'winston');

const serve = `
const server = require('node:http').createServer((request, response) => {
  setTimeout(() => response.end(String(process.pid)), 5);
  if (request.url === '/throw') response.on('close', () => { throw new Error('thrown'); });
}).listen(Number(process.argv[2]));
`;

const apps = {
  /** The report takes as long as there are connections, but not longer than the 2 s that Sentry waits. */
  sentry: `
const Sentry = require('@sentry/node');
const alone = () => new Promise((resolve) => {
  setInterval(() => server.getConnections((_, count) => count === 0 && resolve({ statusCode: 200 })), 5);
});
Sentry.init({ dsn: 'http://key@127.0.0.1/1', transport: (options) => Sentry.createTransport(options, alone) });
${serve}`,
  /** It never learns that all is written to a console, and exits after 3 s. */
  winston: `
const winston = require('winston');
winston.createLogger({ transports: [new winston.transports.Console({ handleExceptions: true })] });
${serve}`,
};

describe.skipIf(packages.missing !== undefined)('an app with a third-party error handler', () => {
  it.each(['sentry', 'winston'] as const)('loses no request after an uncaught error: %s', async (name) => {
    const port = await freePort();
    const script = nsv.script('app.cjs', apps[name]);
    packages.link(nsv.directory);
    await nsv.ok('start', script, '--name', 'web', '-i', '3', '--', String(port));
    // A large package takes its time, and what is up for a second counts as ready.
    await eventually(async () => (await nsv.list('web')).every(({ ports }) => ports.length === 1));
    const visitors = new Visitors(8, { port });
    const passers = new PassersBy({ port }, 4);
    expect(await ask(port, { path: '/throw' })).toMatchObject({ ok: true });
    await eventually(async () => {
      const views = await nsv.list('web');
      return views.every(({ status }) => status === 'online') && views.some(({ restarts }) => restarts === 1);
    });
    expect(await Promise.all([visitors.leave(), passers.leave()])).toEqual([[], []]);
    expect((await nsv.list('web')).reduce((sum, { restarts }) => sum + restarts, 0)).toBe(1);
  });
});

// Is the client to be trusted? Against servers that fail on purpose it must count each failure, once, by its name;
// against one that does not, none. node bench/loss/check.mjs; exit code 1 if it miscounts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, printTable } from '../measure.mjs';
import { Load } from './client.mjs';
import { createDelayLine } from './delay-line.mjs';
import { kinds } from './failures.mjs';
import { faults, faultyServer, http2Faults, none } from './faults.mjs';
import { createStage } from './stage.mjs';
import { mostStall } from './stalls.mjs';

const light = { clients: 4, rate: 50 };

async function against(name, fault, options = {}) {
  const server = await faultyServer(fault, options.http2);
  const line = options.delay ? await createDelayLine(server.target, options.delay) : undefined;
  const load = new Load(line?.target ?? server.target, { ...light, ...options });
  await after(1000);
  await load.stop();
  line?.close();
  server.close();
  const counts = { ...countsOf(load), retried: load.retried };
  const expected = fault.kind ? { [fault.kind]: server.seen.faults } : {};
  const right = [...kinds, 'retried'].every((kind) => counts[kind] === (expected[kind] ?? 0));
  const enough = load.requests > 100 && (!fault.kind || server.seen.faults > (fault.only ? 0 : 2));
  return [
    name,
    load.requests,
    fault.kind ?? 'none',
    fault.kind ? server.seen.faults : 0,
    spell(counts),
    right && enough,
  ];
}

/**
 * The server promises to keep idle connections for 2 s, and Node closes them a second later. What a client sends at that moment
 * is on its way for 50 ms and lost, unless the client heeds the promise.
 */
async function closing(name, heedsHint) {
  const server = createServer((request, response) => response.end(`hello ${request.url} 0\n`));
  server.keepAliveTimeout = 2000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const line = await createDelayLine({ host: '127.0.0.1', port: server.address().port }, 50);
  const load = new Load(line.target, { clients: 300, think: [500, 4000], rate: 0, heedsHint });
  await after(8000);
  await load.stop();
  line.close();
  server.close();
  const counts = countsOf(load);
  const lost = counts.reset + counts['cut short'];
  const right = load.failures.length === lost && load.requests > 500 && (heedsHint ? lost === 0 : lost > 0);
  return [name, load.requests, heedsHint ? 'none' : 'reset, cut short', '', spell(counts), right];
}

/** The load itself stands still, as on a machine that gives it no time: whatever it counts is no count. */
async function starved(name) {
  const server = await faultyServer(none);
  const load = new Load(server.target, light);
  await after(300);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, mostStall + 500);
  await after(300);
  await load.stop();
  server.close();
  return [name, load.requests, 'void', '', load.isStarved ? 'void' : spell(countsOf(load)), load.isStarved];
}

/** Nobody listens there, neither on the port nor at the path. */
async function refused(name, target, options = {}) {
  const load = new Load(target, { ...light, ...options });
  await after(500);
  await load.stop();
  const counts = countsOf(load);
  return [name, load.requests, 'refused', load.requests, spell(counts), counts.refused === load.requests];
}

/** The app is killed: what was in flight is reset or cut short, what comes later is refused. */
async function killed(name, scenery, options = {}) {
  const stage = await createStage(scenery);
  const child = spawn(process.execPath, [stage.script], { env: { ...process.env, ...stage.env }, stdio: 'ignore' });
  const load = await listening(stage, options);
  await after(1000);
  const before = load.failures.length;
  child.kill('SIGKILL');
  await once(child, 'exit');
  await after(300);
  await load.stop();
  stage.dispose();
  const counts = countsOf(load);
  const inFlight = counts.reset + counts['cut short'];
  const right = before === 0 && inFlight > 0 && counts.refused > 0 && counts.hung + counts.wrong + counts.other === 0;
  return [name, load.requests, 'reset, refused', '', spell(counts), right];
}

/** The load begins once a first request is answered. */
async function listening({ target }, options) {
  for (;;) {
    const probe = new Load(target, { ...options, clients: 0, rate: 0 });
    if (!(await probe.askAside('/probe')).kind) return new Load(target, { ...light, clients: 64, ...options });
    await after(50);
  }
}

function countsOf({ failures }) {
  return Object.fromEntries(kinds.map((kind) => [kind, failures.filter((failure) => failure.kind === kind).length]));
}

function spell(counts) {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([kind, count]) => `${count} ${kind}`).join(', ') || 'none';
}

const nowhere = { host: '127.0.0.1', port: await freePort() };
const rows = await Promise.all([
  against('left alone', none),
  against('left alone, POST', none, { bodyBytes: 16_384 }),
  against('left alone, http2', none, { http2: true }),
  against('left alone, far', none, { delay: 50, rate: 100 }),
  against('a single reset', { ...faults.reset, only: 70 }),
  against('reset, far', faults.reset, { delay: 50, rate: 200 }),
  against('close, far', faults.close, { delay: 50, rate: 200 }),
  ...Object.entries(faults).map(([name, fault]) => against(name, fault)),
  ...Object.entries(http2Faults).map(([name, fault]) => against(name, fault, { http2: true })),
  refused('no server', nowhere),
  refused('no server, http2', nowhere, { http2: true }),
  refused('no socket', { path: fileURLToPath(new URL('no.sock', import.meta.url)) }),
]);
rows.push(await closing('closes idle connections, far, client ignores the hint', false));
rows.push(await closing('closes idle connections, far, client heeds the hint', true));
// After the others: with 64 clients each, one by one.
rows.push(await killed('killed', { app: 'http' }));
rows.push(await killed('killed, POST', { app: 'http' }, { bodyBytes: 16_384 }));
rows.push(await killed('killed, https', { app: 'https', tls: true }));
rows.push(await killed('killed, Unix', { app: 'http', unix: true }));
rows.push(await killed('killed, http2', { app: 'http2', tls: true }, { http2: true, clients: 16, streams: 4 }));
rows.push(await killed('killed, Express', { app: 'express' }));
rows.push(await killed('killed, Fastify', { app: 'fastify' }));
rows.push(await starved('left alone by a load that stands still'));

const told = rows.map((row) => [...row.slice(0, -1), row.at(-1) ? 'right' : 'MISCOUNTED']);
printTable('what the client says of servers that fail on purpose', [
  ['server', 'requests', 'expected', 'times', 'counted', ''],
  ...told,
]);
process.exitCode = rows.every((row) => row.at(-1)) ? 0 : 1;

// Ports that an app opens for a client while it serves others: FTP's passive mode, a port for each session.
import { beforeEach, expect, it } from 'vitest';
import { eventually, sees } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { PassersBy } from '../../helpers/passers-by.ts';

const nsv = homeForEach();
let port: number;

beforeEach(async () => {
  port = await freePort();
});

/** Answers each request with the number of a port that says which process has opened it; it is closed on request only. */
const sessions = (first: number) => `
  const http = require('http');
  const open = [];
  http.createServer((request, answer) => {
    if (request.url === '/close') for (const server of open.splice(0)) server.close();
    if (request.url !== '/session') return answer.end('ok');
    const data = http.createServer((_, answer) => answer.end(String(process.pid)));
    data.on('error', ({ code }) => answer.end(code));
    data.listen(${first} && ${first} + open.length, '127.0.0.1', () => {
      open.push(data);
      answer.end(JSON.stringify({ port: data.address().port, pid: process.pid }));
    });
  }).listen(${port}, '127.0.0.1');`;

interface Session {
  port: number;
  pid: number;
}

async function openSession(): Promise<Session> {
  const answer = await ask(port, { path: '/session' });
  return JSON.parse(answer.ok ? answer.body : answer.why) as Session;
}

it('an app with an open data port is reloaded as soon as any other', async () => {
  await nsv.ok('start', nsv.script('ftp.js', sessions(await freePort())), '--listen-timeout', '10m');
  await openSession();
  await nsv.ok('reload', 'ftp');
  expect((await nsv.list())[0]?.ports).toEqual([`127.0.0.1:${port}`]);
});

it('an app that opens and closes data ports keeps its clients waiting in every restart', async () => {
  await nsv.ok('start', nsv.script('ftp.js', sessions(await freePort())));
  const visitors = new PassersBy({ port, host: '127.0.0.1' });
  for (let restarts = 0; restarts < 4; restarts += 1) {
    await openSession();
    await openSession();
    if (restarts % 2 === 1) await ask(port, { path: '/close' });
    await nsv.ok('restart', 'ftp');
  }
  const { answered } = visitors;
  await eventually(() => visitors.answered > answered + 20);
  expect(await visitors.leave()).toEqual([]);
});

it('a data port that is closed refuses its clients', async () => {
  await nsv.ok('start', nsv.script('ftp.js', sessions(await freePort())));
  const { port: data } = await openSession();
  expect(await ask(data)).toMatchObject({ ok: true });
  await ask(port, { path: '/close' });
  const refused = JSON.stringify({ ok: false, why: 'ECONNREFUSED' });
  await eventually(async () => sees('answer', JSON.stringify(await ask(data))) === refused);
});

it('a port that the system has chosen for a process that is ready leads to that process', async () => {
  await nsv.ok('start', nsv.script('ftp.js', sessions(0)), '-i', '2');
  const all = await Promise.all(Array.from({ length: 32 }, openSession));
  const answers = await Promise.all(all.map((session) => ask(session.port)));
  expect(answers).toEqual(all.map(({ pid }) => ({ ok: true, body: String(pid) })));
  expect(new Set(all.map(({ pid }) => pid)).size).toBe(2);
});

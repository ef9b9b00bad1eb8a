// What hostile and broken clients may do to the daemon: nothing. The daemon is a process of its own, so that what it
// costs can be told from what its tormentors cost.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { ServerLimits } from '../../../src/ipc/limits.ts';
import { bundle, type Program, run } from '../../helpers/bundle.ts';
import { eventually } from '../../helpers/eventually.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';
import { variants } from '../../helpers/variants.ts';
import { daemonView, type Message, RawClient } from '../../helpers/wire.ts';

const megabyte = 1024 * 1024;
const isReply = ({ id, method }: Message) => id !== undefined && method === undefined;

let program: string;
const home = temporaryHomeForEach();
let daemon: Program;

beforeAll(async () => {
  program = await bundle('fixture-daemon');
});
afterAll(() => rmSync(dirname(program), { recursive: true }));

afterEach(async () => {
  expect(daemon.child.exitCode, 'the daemon lives').toBeNull();
  daemon.child.kill('SIGKILL');
  await daemon.ended;
});

async function launch(limits: Partial<ServerLimits> = {}): Promise<void> {
  writeFileSync(join(home.paths.home, 'limits.json'), JSON.stringify(limits));
  daemon = run(program, home.paths.home);
  expect(await daemon.line).toBe('serves');
}

const connect = () => RawClient.connect(home.paths);

async function pings(): Promise<void> {
  const client = await connect();
  const { result } = await client.ask({ id: 1, method: 'ping' });
  expect(result).toEqual({ ...daemonView, pid: daemon.child.pid });
  client.socket.destroy();
}

function residentBytes(): number {
  const [, pages] = readFileSync(`/proc/${daemon.child.pid}/statm`, 'latin1').split(' ');
  return Number(pages) * 4096;
}

const openDescriptors = () => readdirSync(`/proc/${daemon.child.pid}/fd`).length;

it('malformed input is rejected, and its connection is closed', async () => {
  await launch();
  const client = await connect();
  client.write(Buffer.from([0, 255, 254, 10, 1, 2, 3]));
  expect((await client.hears(isReply)).error.code).toBe(-32700);
  await client.closed;
  await pings();
});

it('a request after malformed input is not run', async () => {
  await launch();
  const client = await connect();
  client.write('garbage\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await client.closed;
  expect(client.messages.filter(isReply).map(({ id }) => id)).toEqual([null]);
});

it('an endless line is cut off at the limit, takes little memory, and delays no client', { tags: 'full' }, async () => {
  await launch();
  await pings();
  const before = residentBytes();
  let sent = 0;
  const client = await connect();
  const block = Buffer.alloc(megabyte, 'x');
  const send = () => {
    if (sent >= 100 * megabyte || client.socket.destroyed) return;
    sent += block.length;
    client.socket.write(block, send);
  };
  send();
  await pings();
  await client.closed;
  expect(sent).toBeLessThan(10 * megabyte);
  await pings();
  expect(residentBytes() - before).toBeLessThan(64 * megabyte);
});

it('a thousand idle connections lock no client out, and no more than the limit are kept', async () => {
  await launch({ connections: 100 });
  const before = openDescriptors();
  const clients: RawClient[] = [];
  for (let count = 0; count < 1_000; count += 1) {
    clients.push(await connect());
    if (count % 100 === 99) await pings();
  }
  await Promise.all(clients.slice(0, 899).map(({ closed }) => closed));
  await eventually(() => openDescriptors() - before <= 100);
  expect(clients[0]!.messages.at(-1).error.message).toContain('too many connections');
  for (const client of clients) client.socket.destroy();
});

it('a thousand simultaneous connections lock no client out', { tags: 'full' }, async () => {
  await launch({ connections: 100 });
  const before = openDescriptors();
  const clients = await Promise.all(Array.from({ length: 1_000 }, connect));
  await pings();
  await eventually(() => openDescriptors() - before <= 100);
  for (const client of clients) client.socket.destroy();
});

it('a connection with a pending call is never the one that is dropped', async () => {
  await launch({ connections: 3, heartbeat: 20 });
  const caller = await connect();
  caller.send({ jsonrpc: '2.0', id: 1, method: 'save' });
  await caller.hears(({ method }) => method === 'progress');
  const idle = [await connect(), await connect(), await connect(), await connect()];
  await idle[0]!.closed;
  await idle[1]!.closed;
  const received = caller.messages.length;
  await caller.hears(() => caller.messages.length > received);
  for (const client of [caller, ...idle]) client.socket.destroy();
});

it('a new connection is dropped with the reason when all others have pending calls', async () => {
  await launch({ connections: 2, heartbeat: 20 });
  const callers = [await connect(), await connect()];
  for (const caller of callers) {
    caller.send({ jsonrpc: '2.0', id: 1, method: 'save' });
    await caller.hears(({ method }) => method === 'progress');
  }
  const client = await connect();
  expect((await client.hears(isReply)).error.data.code).toBe('DAEMON_UNREACHABLE');
  await client.closed;
  for (const caller of callers) caller.socket.destroy();
});

it('many unfinished messages take no more memory than a few, and short ones complete', { tags: 'full' }, async () => {
  await launch({ held: 8 * megabyte, messageTime: 60_000 });
  await pings();
  const before = residentBytes();
  const short = await connect();
  short.write('{"jsonrpc":"2.0","id":1,"method":');
  const clients = await Promise.all(Array.from({ length: 200 }, connect));
  const half = Buffer.alloc(3.9 * megabyte, 'x');
  for (const client of clients) client.write(half);
  let gone = 0;
  await new Promise<void>((resolve) => {
    for (const { closed } of clients) {
      void closed.then(() => {
        gone += 1;
        if (gone === 196) resolve();
      });
    }
  });
  await pings();
  expect(residentBytes() - before).toBeLessThan(250 * megabyte);
  short.write('"ping"}\n');
  expect(await short.hears(({ id }) => id === 1)).toHaveProperty('result');
  for (const client of [short, ...clients]) client.socket.destroy();
});

it('an unfinished message is rejected at its deadline, even if it keeps growing', async () => {
  await launch({ messageTime: 150 });
  const client = await connect();
  client.write('{"jsonrpc":');
  const dribble = setInterval(() => client.write(' '), 20);
  expect((await client.hears(isReply)).error.message).toContain('was not complete within 0.15 s');
  await client.closed;
  clearInterval(dribble);
  await pings();
});

it('the deadline of a message ends with the message', { tags: 'full' }, async () => {
  // Time enough for the rest of the message on a busy machine; a sign of life too many comes only when it is over.
  const [messageTime, heartbeat] = [3_000, 50];
  await launch({ messageTime, heartbeat });
  const client = await connect();
  client.write('{"jsonrpc":"2.0","id":1,');
  await pings();
  client.write('"method":"save"}\n');
  await client.hears(
    () => client.messages.filter(({ method }) => method === 'progress').length > messageTime / heartbeat,
  );
  client.socket.destroy();
});

it('a client that does not read is disconnected before it takes memory', async () => {
  await launch();
  await pings();
  const before = residentBytes();
  const client = await connect();
  client.socket.pause();
  for (let id = 0; id < 100; id += 1) {
    client.send({ jsonrpc: '2.0', id, method: 'describe', params: { targets: ['all'] } });
    await pings();
  }
  expect(residentBytes() - before).toBeLessThan(64 * megabyte);
  client.socket.resume();
  await client.closed;
  expect(client.messages.filter(isReply).length).toBeLessThan(10);
});

it('calls beyond the limit of a connection are refused, while the others continue', async () => {
  await launch({ calls: 3, heartbeat: 20 });
  const client = await connect();
  for (let id = 1; id <= 5; id += 1) client.send({ jsonrpc: '2.0', id, method: 'save' });
  await client.hears(({ id }) => id === 5);
  expect(client.messages.filter(isReply).map(({ id }) => id)).toEqual([4, 5]);
  await client.hears(({ method, params }) => method === 'progress' && params.id === 3);
  client.socket.destroy();
});

it('answered calls do not count towards the limit', async () => {
  await launch({ calls: 1 });
  const client = await connect();
  for (let id = 1; id <= 3; id += 1) expect(await client.ask({ id, method: 'ping' })).toHaveProperty('result');
  client.socket.destroy();
});

variants([
  { case: 'a request named __proto__', line: '{"jsonrpc":"2.0","id":1,"method":"__proto__"}' },
  { case: 'nested two million deep', line: `{"a":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}` },
  { case: 'a batch of two million', line: `[${'1,'.repeat(2_000_000)}1]` },
])('a message that is $case gets one error', async ({ line }) => {
  await launch();
  const client = await connect();
  client.write(`${line}\n`);
  expect((await client.hears(isReply)).error.code).toBeLessThan(-32000);
  await pings();
  client.socket.destroy();
});

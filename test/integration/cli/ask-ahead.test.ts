// `nsv list` and its likes against a daemon that speaks only when it is spoken to.
import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { entries } from '../../../src/cli/entries.ts';
import { LineReader, renderLine } from '../../../src/ipc/frame.ts';
import { listenPrivately } from '../../../src/os/socket-file.ts';
import { protocolVersion, version } from '../../../src/shared/version.ts';
import { launcher } from '../../helpers/nsv.ts';
import { finish } from '../../helpers/program.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';
import { processView } from '../../unit/cli/fake-context.ts';

const home = temporaryHomeForEach();
const cleanups: (() => unknown)[] = [];

afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

interface Call {
  id: number;
  method: string;
  params: { targets: string[] };
}

interface Seen {
  connections: number;
  calls: Pick<Call, 'method' | 'params'>[];
}

const greeting = (protocol = protocolVersion) =>
  renderLine({ jsonrpc: '2.0', method: 'hello', params: { protocol, version, pid: 1 } });
const answer = ({ id, method }: Call) =>
  renderLine({
    jsonrpc: '2.0',
    id,
    result: method === 'list' ? [processView({ name: 'web' })] : { environments: [], apps: [] },
  });

/** `heard` is called with each call. */
async function daemon(heard: (socket: Socket, call: Call) => void): Promise<Seen> {
  const seen: Seen = { connections: 0, calls: [] };
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    seen.connections += 1;
    sockets.push(socket);
    const reader = new LineReader(10_000);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      for (const line of reader.read(chunk)) {
        const call: Call = JSON.parse(line);
        seen.calls.push({ method: call.method, params: call.params });
        heard(socket, call);
      }
    });
  });
  await listenPrivately(server, home.paths.socket);
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return seen;
}

const nsv = (...words: string[]) =>
  finish(launcher, words, { env: { PATH: process.env.PATH, NSV_HOME: home.paths.home } });

const namesOf = (command: string) => entries.find(({ names }) => names[0] === command)!.names;
const byList = [...namesOf('list'), 'list --json', 'pm2 list'];
const byJlist = [...namesOf('jlist'), ...namesOf('prettylist'), 'pm2 jlist'];

describe('the daemon is asked before it has greeted', () => {
  it.each([
    ...byList.map((words) => [words, 'list'] as const),
    ...byJlist.map((words) => [words, 'describe'] as const),
  ])('by nsv %s', async (words, method) => {
    const seen = await daemon((socket, call) => socket.write(greeting() + answer(call)));
    const { code, stdout, stderr } = await nsv(...words.split(' '));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(method === 'list' ? 'web' : '[]');
    expect(seen).toEqual({ connections: 1, calls: [{ method, params: { targets: [] } }] });
  });

  it('but not at all in a home that other users can write to', async () => {
    const seen = await daemon(() => undefined);
    chmodSync(home.paths.home, 0o777);
    const { code, stderr } = await nsv('list');
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('other users can write to it') });
    expect(seen.connections).toBe(0);
  });

  it('and its answer is ignored if it speaks another protocol', async () => {
    await daemon((socket, call) => socket.write(greeting(protocolVersion + 1) + answer(call)));
    const { code, stdout, stderr } = await nsv('list');
    expect({ code, stdout, stderr }).toEqual({ code: 4, stdout: '', stderr: expect.stringContaining('nsv update') });
  });

  it('and counts as not running if it hangs up', async () => {
    await daemon((socket) => socket.end());
    const { code, stderr } = await nsv('list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'nsv: no daemon is running\n' });
  });
});

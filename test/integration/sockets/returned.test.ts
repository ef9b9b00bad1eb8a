// Sockets that a process returns to the daemon after the one that granted them: only those are taken.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Child } from '../../../src/daemon/launch/launcher.ts';
import { AddressBook } from '../../../src/daemon/sockets/address-book.ts';
import { createGroupSockets } from '../../../src/daemon/sockets/create-group-sockets.ts';
import { marker } from '../../../src/ipc/worker-messages.ts';
import { bind, bindServer } from '../../../src/os/sockets/handle.ts';
import type { Handle } from '../../../src/os/sockets/node-handles.ts';

const directory = mkdtempSync(join(tmpdir(), 'nsv-returned-'));
const open: (Server | Socket)[] = [];
const path = (name: string) => join(directory, name);

afterEach(() => {
  for (const each of open.splice(0)) 'destroy' in each ? each.destroy() : each.close();
});
afterAll(() => rmSync(directory, { recursive: true }));

const handleOf = (of: Server | Socket) => (of as unknown as { _handle: Handle })._handle;

/** A server with a connection to it. */
async function connected(where: string | number): Promise<{ server: Server; client: Socket; accepted: Socket }> {
  const server = createServer();
  const place = typeof where === 'string' ? { path: where } : { port: where, host: '127.0.0.1' };
  await once(server.listen(place), 'listening');
  const address = server.address();
  const client = typeof address === 'string' ? connect(address) : connect(address!.port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  open.push(accepted, client, server);
  return { server, client, accepted };
}

const portOf = (server: Server) => (server.address() as { port: number }).port;

/** Returns the handle for the key, as a process does that the daemon expects, or not. */
function giveBack(key: string, handle: Handle, isExpected = true) {
  const sockets = createGroupSockets({ group: 'web', schedule: 'kernel', node: true, book: new AddressBook() });
  const child = { pid: 1, startTime: 1, plan: { spec: { listen: [] } }, send: () => true } as unknown as Child;
  if (isExpected) sockets.expect(child, new Promise(() => {}));
  sockets.receive(child, { cmd: marker, type: 'return-socket', key, mode: 'handle', origin: 1 }, handle);
  const addresses = sockets.addresses();
  sockets.close();
  return addresses;
}

describe('a socket that a process returns', () => {
  it.each(['127.0.0.1', undefined])('is held again if it matches its key, on host %s', (host) => {
    const { handle, address } = bindServer({ kind: 'tcp', port: 0, ...(host && { host }) });
    const { port } = address as { port: number };
    expect(giveBack(`tcp|${host ?? '*'}|${port}||0`, handle)).toEqual([host ? `${host}:${port}` : String(port)]);
    const again = bindServer({ kind: 'tcp', port: 0, ...(host && { host }) });
    expect(giveBack(`tcp|${host ?? '*'}|0||0`, again.handle)).toHaveLength(1);
  });

  it('is held again if it is a Unix or a UDP socket', async () => {
    const unix = bindServer({ kind: 'pipe', path: path('good.sock') });
    expect(giveBack(`pipe|*|${path('good.sock')}||0`, unix.handle)).toEqual([path('good.sock')]);
    const udp = bind({ kind: 'udp4', host: '127.0.0.1', port: 0 });
    const { port } = udp.address as { port: number };
    expect(giveBack(`udp4|127.0.0.1|${port}||0`, udp.handle)).toEqual([`udp:127.0.0.1:${port}`]);
  });

  it('is closed if the process cannot have any', () => {
    const { handle, address } = bindServer({ kind: 'tcp', host: '127.0.0.1' });
    expect(giveBack(`tcp|127.0.0.1|${(address as { port: number }).port}||0`, handle, false)).toEqual([]);
    expect(handle.fd).toBeLessThan(0);
  });

  it.each([
    ['another port', () => [bindServer({ kind: 'tcp', host: '127.0.0.1' }).handle, 'tcp|127.0.0.1|1||0'] as const],
    ['another host', () => [bindServer({ kind: 'tcp', host: '127.0.0.2' }).handle, 'tcp|127.0.0.1|0||0'] as const],
    ['one host for all', () => [bindServer({ kind: 'tcp', host: '127.0.0.1' }).handle, 'tcp|*|0||0'] as const],
    ['another kind', () => [bindServer({ kind: 'tcp', host: '127.0.0.1' }).handle, 'udp4|127.0.0.1|0||0'] as const],
    ['no address', () => [bind({ kind: 'udp4', port: 0 }).handle, 'pipe|*|/x||0'] as const],
    ['a malformed key', () => [bindServer({ kind: 'tcp', host: '127.0.0.1' }).handle, '__proto__'] as const],
    ['another path', () => [bindServer({ kind: 'pipe', path: path('other.sock') }).handle, 'pipe|*|/x||0'] as const],
  ])('is closed if it has %s', (_what, give) => {
    const [handle, key] = give();
    expect(giveBack(key, handle)).toEqual([]);
    expect(handle.fd).toBeLessThan(0);
  });

  it('is closed if it is a connection', async () => {
    const tcp = await connected(0);
    const key = `tcp|127.0.0.1|${portOf(tcp.server)}||0`;
    expect(giveBack(key, handleOf(tcp.accepted))).toEqual([]);
    const unix = await connected(path('connected.sock'));
    expect(giveBack(`pipe|*|${path('connected.sock')}||0`, handleOf(unix.accepted))).toEqual([]);
  });
});

describe('a socket that a process of another user returns', () => {
  /** The user of the process; undefined for that of the daemon. */
  function groupsOf(...uids: (string | undefined)[]) {
    const book = new AddressBook();
    return uids.map((uid, at) => {
      const owner = { listen: [], ...(uid && { uid }) };
      const sockets = createGroupSockets({
        group: `app ${at}`,
        schedule: 'kernel',
        node: true,
        book,
        app: { spec: owner, stageOf: () => 'starting', look: () => {} },
      });
      const child = { pid: at, startTime: 1, plan: { spec: owner }, send: () => true } as unknown as Child;
      sockets.expect(child, new Promise(() => {}));
      const gives = (key: string, { handle }: { handle: Handle }) =>
        sockets.receive(child, { cmd: marker, type: 'return-socket', key, mode: 'handle', origin: 1 }, handle);
      return { gives, addresses: () => sockets.addresses(), close: () => sockets.close() };
    });
  }

  /** A socket for IPv6 alone that is passed off as one for both, and the one that the port belongs to. */
  function sameAddress() {
    const theirs = bindServer({ kind: 'tcp', host: '::', ipv6Only: true, port: 0 });
    const { port } = theirs.address as { port: number };
    const own = bindServer({ kind: 'tcp', host: '127.0.0.1', port });
    return { theirs, own, theirKey: `tcp|::|${port}||0`, ownKey: `tcp|127.0.0.1|${port}||0`, port };
  }

  it.each([true, false])('does not keep another app from its address, whether it comes first or not: %s', (isFirst) => {
    const [foreign, other] = groupsOf(nobody, undefined);
    const { theirs, own, theirKey, ownKey, port } = sameAddress();
    if (isFirst) foreign!.gives(theirKey, theirs);
    other!.gives(ownKey, own);
    if (!isFirst) foreign!.gives(theirKey, theirs);
    expect([foreign!.addresses(), other!.addresses()]).toEqual([[], [`127.0.0.1:${port}`]]);
    other!.close();
  });

  it('takes no address from an app of a third user', () => {
    const [foreign, other] = groupsOf(nobody, '4712');
    const { theirs, own, theirKey, ownKey, port } = sameAddress();
    other!.gives(ownKey, own);
    foreign!.gives(theirKey, theirs);
    expect(other!.addresses()).toEqual([`127.0.0.1:${port}`]);
    foreign!.close();
    expect(other!.addresses()).toEqual([`127.0.0.1:${port}`]);
    other!.close();
  });
});

/** Any user but the one of the test. */
const nobody = '4711';

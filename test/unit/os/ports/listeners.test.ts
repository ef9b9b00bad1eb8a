import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createPortHolders } from '../../../../src/os/ports/holders.ts';
import { listenersIn } from '../../../../src/os/ports/listeners.ts';
import { listeningOf } from '../../../../src/os/ports/listening.ts';

const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const line = (local: string, state: string, inode: number) =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000 100 0`;

describe('a table of sockets', () => {
  it.each([
    ['0100007F:0050', '127.0.0.1'],
    ['00000000:0050', '0.0.0.0'],
    ['00000000000000000000000000000000:0050', '::'],
    ['00000000000000000000000001000000:0050', '::1'],
    ['0000000000000000FFFF00000100007F:0050', '127.0.0.1'],
  ])('is parsed: %s listens on %s', (local, ip) => {
    const text = [head, line(local, '0A', 7), line(local, '01', 8), ''].join('\n');
    const address = { transport: 'tcp', ip, port: 80, ipv6Only: false };
    expect(listenersIn(text, 'tcp')).toEqual([{ address, uid: 1000, inode: 7 }]);
  });

  it('has the unconnected sockets of UDP', () => {
    const text = [head, line('00000000:0035', '07', 7), line('0100007F:0036', '01', 8), ''].join('\n');
    expect(listenersIn(text, 'udp')).toMatchObject([{ address: { transport: 'udp', port: 53 }, inode: 7 }]);
  });
});

describe.runIf(process.platform === 'linux')('a port', () => {
  it('is held by the process that listens there, and free once it is closed', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const address = { transport: 'tcp', ip: '127.0.0.1', port, ipv6Only: false } as const;
    let now = 0;
    const holders = createPortHolders({ now: () => now });
    expect(holders.of({ ...address, ip: '::' })).toMatch(new RegExp(`^".+" \\(pid ${process.pid}\\)$`));
    const named = createPortHolders({ now: () => 0 }, (pid) => `process ${pid}`);
    expect(named.of({ ...address, ip: '::' })).toBe(`process ${process.pid}`);
    expect(listeningOf([process.pid], {})).toContainEqual(address);
    expect(listeningOf([process.ppid], {})).not.toContainEqual(address);
    await new Promise((resolve) => server.close(resolve));
    now = 60_000;
    expect(holders.of({ ...address, ip: '::' })).toBeUndefined();
    expect(listeningOf([process.pid], {})).not.toContainEqual(address);
  });

  it('is held by an app of another home, whoever else has the socket', async () => {
    const source = "require('node:http').createServer().listen(0, function () { process.send(this.address().port); })";
    const env = { ...process.env, NSV_APP: 'web', NSV_HOME: '/home/other/.nsv' };
    const child = spawn(process.execPath, ['-e', source], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const [port] = (await once(child, 'message')) as [number];
    const address = { transport: 'tcp', ip: '::', port, ipv6Only: false } as const;
    const text = createPortHolders({ now: () => 0 }).of(address);
    child.kill();
    expect(text).toBe(`app "web" of the nsv home /home/other/.nsv (pid ${child.pid})`);
  });

  it.each([1, 150])('is found whatever was found before, for each of %i owners', async (count) => {
    const owners = Array.from({ length: count }, () => ({}));
    const ports = () => owners.map((owner) => listeningOf([process.pid], owner).map(({ port }) => port));
    const all = (...expected: unknown[]) => owners.map(() => expect.arrayContaining(expected));
    const open = async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      await turn(); // one look serves a turn of the event loop
      return { server, port: (server.address() as { port: number }).port };
    };
    expect(listeningOf([], owners[0] as object)).toEqual([]);
    const first = await open();
    expect(ports()).toEqual(all(first.port));
    await turn();
    expect(ports()).toEqual(all(first.port));
    await turn();
    const second = await open();
    expect(ports()).toEqual(all(first.port, second.port));
    first.server.close();
    await once(first.server, 'close');
    await turn();
    const left = ports();
    expect(left).toEqual(all(second.port));
    expect(left.flat()).not.toContain(first.port);
    second.server.close();
  });

  it('is found in a table of several pages', async () => {
    const servers = Array.from({ length: 100 }, () => createServer().listen(0, '127.0.0.1'));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    await turn();
    const ports = servers.map((server) => (server.address() as { port: number }).port);
    expect(listeningOf([process.pid], {}).map(({ port }) => port)).toEqual(expect.arrayContaining(ports));
    for (const server of servers) server.close();
  });
});

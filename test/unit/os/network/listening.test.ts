import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { listeningOf, parseListening } from '../../../../src/os/network/listening.ts';

const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const rest = '00000000:00000000 00:00000000 00000000     0        0';

it('reads the sockets that listen from the table of the kernel', () => {
  const rows = [
    `   0: 0100007F:1F90 00000000:0000 0A ${rest} 101 1 0 100 0 0 10 0`,
    `   1: 00000000:0050 00000000:0000 0A ${rest} 102 1 0 100 0 0 10 0`,
    `   2: 0100007F:1F90 0100007F:C000 01 ${rest} 103 1 0 20 4 30 10 -1`,
    `   3: 00000000000000000000000000000000:0BB8 00000000000000000000000000000000:0000 0A ${rest} 104 1 0`,
    `   4: 00000000000000000000000001000000:0BB9 00000000000000000000000000000000:0000 0A ${rest} 105 1 0`,
  ];
  const found = [...parseListening(head + rows.join('\n'))].map(([inode, { ip, port }]) => [inode, ip, port]);
  expect(found).toEqual([
    ['101', '127.0.0.1', 8080],
    ['102', '0.0.0.0', 80],
    ['104', '::', 3000],
    ['105', '::1', 3001],
  ]);
});

it.skipIf(process.platform !== 'linux')(
  'finds the port of this process, and none of a process that is gone',
  async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    expect(listeningOf([process.pid])).toContainEqual({ transport: 'tcp', ip: '127.0.0.1', port, ipv6Only: false });
    expect(listeningOf([2 ** 22 + 1])).toEqual([]);
    server.close();
  },
);

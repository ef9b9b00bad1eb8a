import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createPortHolders } from '../../../src/os/ports/holders.ts';
import { listenersIn } from '../../../src/os/ports/listeners.ts';

const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const line = (local: string, state: string, inode: number) =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000 100 0`;

describe('a table of sockets', () => {
  it.each([
    ['0100007F:0050', '127.0.0.1'],
    ['00000000:0050', '0.0.0.0'],
    ['00000000000000000000000000000000:0050', '::'],
    ['00000000000000000000000001000000:0050', '0:0:0:0:0:0:0:1'],
    ['0000000000000000FFFF00000100007F:0050', '127.0.0.1'],
  ])('says that %s listens on %s', (local, ip) => {
    const text = [head, line(local, '0A', 7), line(local, '01', 8), line('0100007F:0051', '0A', 9), ''].join('\n');
    expect(listenersIn(text, 'tcp', 80)).toEqual([{ ip, uid: 1000, inode: 7 }]);
  });
});

describe.runIf(process.platform === 'linux')('a port', () => {
  it('is held by the program that listens there, and by nobody once it is closed', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const address = { transport: 'tcp', ip: '::', port, ipv6Only: false } as const;
    let now = 0;
    const holders = createPortHolders({ now: () => now });
    expect(holders.of(address)).toMatch(new RegExp(`^".+" \\(pid ${process.pid}\\)$`));
    await new Promise((resolve) => server.close(resolve));
    now = 60_000;
    expect(holders.of(address)).toBeUndefined();
  });
});

import { execFile } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { fixture } from '../../helpers/launched.ts';
import { claim } from '../../helpers/ports.ts';
import { type App, socketStage, workerNode } from '../../helpers/socket-stage.ts';
import { variants } from '../../helpers/variants.ts';

const stage = socketStage();

async function bound(port = 0): Promise<{ socket: Socket; port: number }> {
  const socket = createSocket('udp4').bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return { socket, port: socket.address().port };
}

function freePort(): Promise<number> {
  return eventually(async () => {
    const { socket, port } = await bound();
    await new Promise<void>((resolve) => socket.close(resolve));
    return (await claim(port)) && port;
  }, 'a free port');
}

/** Sends until somebody answers: a datagram may be lost. */
async function answer(port: number): Promise<string> {
  const { socket } = await bound();
  const again = setInterval(() => socket.send('who?', port, '127.0.0.1'), 20);
  const [message] = await once(socket, 'message');
  clearInterval(again);
  socket.close();
  return String(message);
}

describe.each(['kernel', 'rr'] as const)('datagram sockets of instances (--schedule %s)', (schedule) => {
  it('are one socket, which outlives the processes', async () => {
    const port = await freePort();
    const group = stage.group({ schedule });
    const apps = await group.startAll(2, 'udp.cjs', ['udp4', port]);
    expect(apps.map(({ pid }) => String(pid))).toContain(await answer(port));
    expect(group.sockets.listening.addressesOf(apps[1]!.child)).toEqual([`udp:${port}`]);
    for (const app of apps) {
      app.signal('SIGKILL');
      await app.ended;
    }
    const asked = answer(port);
    const next = group.start('udp.cjs', ['udp4', port]);
    expect(await asked).toBe(String(next.pid));
  });
});

describe('a datagram socket', () => {
  variants(
    [
      ['a port', ['udp4']],
      ['IPv6', ['udp6']],
      ['an address', ['udp4'], '127.0.0.1'],
      ['a host name', ['udp4'], 'localhost'],
      ['an object', ['udp4'], { address: '127.0.0.1' }],
      ['only IPv6', [{ type: 'udp6', ipv6Only: true }]],
      ['an own socket', ['udp4'], { exclusive: true }],
      ['an address of others', ['udp4'], '203.0.113.1'],
      ['no such host', ['udp4'], 'no-such-host.invalid'],
    ],
    3,
  )('is bound as under plain Node: %s', async (_, [type], rest?: unknown) => {
    const port = await freePort();
    const args = typeof rest === 'object' ? [type, { port, ...rest }] : [type, port, ...(rest ? [rest] : [])];
    const plain = await underPlainNode(args);
    const app = stage.group().start('udp.cjs', args);
    const [shown] = await app.prints(/^(listening|error) .*$/m);
    expect(shown).toBe(plain);
  });

  it('gets EADDRINUSE on a port of another app', async () => {
    const port = await freePort();
    await stage.group().startAll(1, 'udp.cjs', ['udp4', port]);
    const [, error] = await stage
      .group()
      .start('udp.cjs', ['udp4', port])
      .prints(/error (.*)/);
    const message = `bind EADDRINUSE 0.0.0.0:${port}`;
    expect(JSON.parse(error!)).toMatchObject({
      code: 'EADDRINUSE',
      syscall: 'bind',
      address: '0.0.0.0',
      port,
      message,
    });
  });

  it('gets EADDRINUSE on a port of another program', async () => {
    const { socket, port } = await bound();
    const [, error] = await stage
      .group()
      .start('udp.cjs', ['udp4', port])
      .prints(/error (.*)/);
    expect(JSON.parse(error!).code).toBe('EADDRINUSE');
    socket.close();
  });

  it('is not shared when the system chooses its port', async () => {
    const group = stage.group();
    const apps: App[] = [group.start('udp.cjs', ['udp4', 0]), group.start('udp.cjs', ['udp4', 0], { slot: 1 })];
    const ports = await Promise.all(apps.map(async ({ prints }) => (await prints(/"port":(\d+)/))[1]));
    expect(new Set(ports).size).toBe(2);
    expect(group.sockets.addresses()).toEqual([]);
  });

  it('is closed by the daemon once all processes have closed it', async () => {
    const port = await freePort();
    const group = stage.group();
    const [app] = await group.startAll(1, 'udp.cjs', ['udp4', port]);
    app!.signal('SIGUSR2');
    await app!.ended;
    const { socket } = await bound(port);
    socket.close();
  });
});

/** The first line it prints. */
function underPlainNode(args: unknown[]): Promise<string> {
  const words = args.map((arg) => JSON.stringify(arg));
  return new Promise((resolve) => {
    const child = execFile(workerNode, [fixture('udp.cjs'), ...words]);
    child.stdout?.once('data', (chunk: string) => {
      child.once('exit', () => resolve(chunk.trim()));
      child.kill('SIGKILL');
    });
  });
}

// A daemon that answers nobody: its processes offer it connections that last (daemon/sockets/ways/spread.ts).
import { describe, expect, it } from 'vitest';
import { freePort } from '../../helpers/http.ts';
import { fixture, homeForEach } from '../../helpers/nsv.ts';
import { kept } from '../../helpers/raw-client.ts';

const nsv = homeForEach();

async function startTwo(): Promise<number> {
  const port = await freePort();
  await nsv.ok('start', fixture('keeps.cjs'), '--name', 'web', '-i', '2', '--', String(port));
  for (let count = 0; count < 4; count += 1) await kept(port);
  return port;
}

describe('the clients of an app', () => {
  it('are served while the daemon hangs, and when it goes on', async () => {
    const port = await startTwo();
    const { daemonPid } = nsv;
    process.kill(daemonPid!, 'SIGSTOP');
    await Promise.all(Array.from({ length: 8 }, () => kept(port)));
    process.kill(daemonPid!, 'SIGCONT');
    const all = await Promise.all(Array.from({ length: 8 }, () => kept(port)));
    expect(all.map(({ end }) => end)).toEqual(Array(8).fill('open'));
  });

  it('are served when the daemon hangs and dies', async () => {
    const port = await startTwo();
    process.kill(nsv.daemonPid!, 'SIGSTOP');
    const clients = Promise.all(Array.from({ length: 8 }, () => kept(port)));
    await nsv.killDaemonAndGuard();
    await clients;
  });
});

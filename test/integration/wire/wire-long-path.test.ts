// A home whose socket path is longer than the 107 bytes that Linux has for one.
import { readdirSync, statSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { openConnection } from '../../../src/ipc/client.ts';
import { prepareHome } from '../../../src/os/trust/home.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';
import { daemonView, serve } from '../../helpers/wire.ts';

describe.runIf(process.platform === 'linux')('a home with a path of 300 bytes', () => {
  const home = temporaryHomeForEach(`${'a'.repeat(100)}/${'é'.repeat(50)}/${'b'.repeat(100)}`);
  beforeEach(() => prepareHome(home.paths));

  it('is served like any other', async () => {
    const server = await serve(home.paths);
    expect(statSync(home.paths.socket).isSocket()).toBe(true);
    const { client, close } = await openConnection(home.paths);
    expect(await client.ping({})).toEqual(daemonView);
    close();
    await server.close();
    expect(readdirSync(home.paths.home)).toEqual([]);
  });

  it('leaves no descriptor open', async () => {
    const count = () => readdirSync('/proc/self/fd').length;
    const round = async () => {
      const server = await serve(home.paths);
      (await openConnection(home.paths)).close();
      await expect(serve(home.paths)).rejects.toThrow('EADDRINUSE');
      await server.close();
      await expect(openConnection(home.paths)).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' });
    };
    await round();
    const before = count();
    await round();
    await round();
    expect(count()).toBe(before);
  });
});

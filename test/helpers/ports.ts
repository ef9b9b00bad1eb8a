// Ports for tests. Between the moment at which a port is found free and the one at which an app binds it, and whenever that
// app is replaced, nobody holds it: another test, of another worker of Vitest or under another line of Node, could get it.
// So each is claimed by a name that only one process can have, and that is free again when the process ends.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that no process uses now, and no other test gets. */
export function freePort(): Promise<number> {
  return claimed(() => 0);
}

/** One that only root may bind. Those from 1000 on belong to no service. */
export function freePortOfRoot(): Promise<number> {
  const candidates = Array.from({ length: 24 }, (_, index) => 1_000 + index);
  return claimed(() => {
    const port = candidates.pop();
    if (port === undefined) throw new Error('all ports from 1000 to 1023 are taken');
    return port;
  });
}

async function claimed(next: () => number): Promise<number> {
  for (;;) {
    const port = await boundOnce(next());
    if (port !== undefined && (await claim(port))) return port;
  }
}

/** Binds a port, or with 0 one that the kernel chooses, and lets go of it. */
async function boundOnce(wanted: number): Promise<number | undefined> {
  const server = createServer().listen(wanted);
  try {
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether nobody else has claimed it. */
export async function claim(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const holder = createServer().unref().listen(`\0nsv-test-port-${port}`);
  try {
    await once(holder, 'listening');
    return true;
  } catch {
    return false;
  }
}

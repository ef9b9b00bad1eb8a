// Ports for tests. Between the moment at which a port is found free and the one at which an app binds it, and whenever that
// app is replaced, nobody holds it: another test, of another worker of Vitest or under another line of Node, could get it.
// So each is claimed by a name that only one process can have, and that is free again when the process ends. And each is
// below those that the kernel gives to connections.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const lowest = 10_000;
/** From here on the kernel gives ports to connections: 32,768 everywhere, unless somebody has changed it. */
const ephemeral = Number(readIfThere('/proc/sys/net/ipv4/ip_local_port_range')?.split('\t')[0] ?? 0);
const end = ephemeral > lowest + 1_000 ? ephemeral : 32_768;

/** A port that no process uses now, and no other test and no connection gets. */
export function freePort(): Promise<number> {
  return claimed(() => randomInt(lowest, end));
}

/** The first of `count` ports in a row. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = await freePort();
    const others = Array.from({ length: count - 1 }, (_, index) => first + index + 1);
    const free = await Promise.all(others.map(async (port) => (await claim(port)) && (await isFree(port))));
    if (free.every(Boolean)) return first;
  }
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
    const port = next();
    if ((await claim(port)) && (await isFree(port))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
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

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

// Which process listens on a port.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { listensOn } from '../../../src/os/blocked/inspector.ts';
import { hasProc } from '../../../src/os/proc.ts';

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

async function portOf(host: string): Promise<number> {
  const server = createServer();
  endings.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as { port: number }).port;
}

describe.runIf(hasProc)('a port', () => {
  it('belongs to the process that listens on it', async () => {
    const other = spawn('sleep', ['60']);
    endings.push(() => other.kill());
    const port = await portOf('127.0.0.1');
    expect([process.pid, other.pid!].map((pid) => listensOn(pid, port))).toEqual([true, false]);
    expect(listensOn(process.pid, 1)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import { ProbeLines } from '../../../../src/daemon/sockets/probe-lines.ts';
import { marker } from '../../../../src/ipc/worker-messages.ts';

const never = new AbortController().signal;

/** A process that is sent connections, and says nothing about them. */
function silent(): { child: Child; sent: { seq: number; key: string }[] } {
  const sent: { seq: number; key: string }[] = [];
  const child = {
    send(message: { seq: number; key: string }, _handle: unknown, done: () => void) {
      sent.push(message);
      done();
      return true;
    },
  };
  return { child: child as unknown as Child, sent };
}

describe('a connection for a process', () => {
  it('waits until the process has taken the one before', async () => {
    const [lines, { child, sent }] = [new ProbeLines(), silent()];
    const first = await lines.connect(child, 'key', never);
    const second = lines.connect(child, 'key', never);
    const third = lines.connect(child, 'key', never);
    expect(sent).toHaveLength(1);
    lines.answered(child, sent[0]!.seq, true);
    expect(await first!.taken).toBe(true);
    const { socket, taken } = (await second)!;
    expect(sent).toHaveLength(2);
    lines.answered(child, sent[1]!.seq, false);
    expect(await taken).toBe(false);
    for (const line of [first!, { socket }, (await third)!]) line.socket.destroy();
    expect(sent).toHaveLength(3);
  });

  it('is awaited no longer than the probe may take', async () => {
    const [lines, { child }, abort] = [new ProbeLines(), silent(), new AbortController()];
    const first = await lines.connect(child, 'key', never);
    const second = lines.connect(child, 'key', abort.signal);
    abort.abort(new Error('late'));
    await expect(second).rejects.toThrow('late');
    first!.socket.destroy();
  });

  it('has no result if the process loses its channel', async () => {
    const [lines, { child }] = [new ProbeLines(), silent()];
    const first = await lines.connect(child, 'key', never);
    lines.lost(child);
    expect(await first!.taken).toBeUndefined();
    first!.socket.destroy();
  });
});

describe('the servers of a process', () => {
  it('are found by port or path, and unknown before the process has reported them', () => {
    const [lines, { child }] = [new ProbeLines(), silent()];
    const at = (port?: number, socket?: string) =>
      lines.serversOf(child, { port, socket })?.map(({ key, speaks }) => `${key} ${speaks}`);
    expect(at(3000)).toBeUndefined();
    const began = (key: string, address: string, speaks?: 'any' | 'http2') =>
      lines.began(child, { cmd: marker, type: 'listening', key, address, ...(speaks && { speaks }) });
    began('a', ':::3000', 'any');
    began('b', '127.0.0.1:3001', 'http2');
    began('c', '/run/app.sock', 'any');
    began('d', 'udp:3002');
    began('e', '0.0.0.0:3003');
    expect([at(3000), at(3001), at(3002), at(3003), at(undefined, '/run/app.sock')]).toEqual([
      ['a any'],
      ['b http2'],
      [],
      ['e undefined'],
      ['c any'],
    ]);
    expect(at()?.[0]).toBe('a any');
    lines.closed(child, 'a');
    expect(at(3000)).toEqual([]);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { Child, LaunchPlan } from '../../../../src/daemon/launch/launcher.ts';
import { AddressBook } from '../../../../src/daemon/sockets/address-book.ts';
import { createGroupSockets } from '../../../../src/daemon/sockets/create-group-sockets.ts';
import { type BindRequest, type DownMessage, marker, type UpMessage } from '../../../../src/ipc/worker-messages.ts';

const sockets = createGroupSockets({ group: 'web', schedule: 'kernel', node: true, book: new AddressBook() });
afterEach(() => sockets.close());

/** A process that does nothing but to remember what it was sent. */
function silent() {
  const sent: DownMessage[] = [];
  const child: Child = {
    pid: 1,
    plan: { spec: { listen: [] } } as unknown as LaunchPlan,
    startTime: undefined,
    send: (message) => sent.push(message as DownMessage) > 0,
  };
  return { child, sent };
}

const bindMessage = (place: Partial<BindRequest>): UpMessage => ({
  cmd: marker,
  type: 'bind',
  seq: 1,
  address: { kind: 'tcp', host: '127.0.0.1', port: 0, index: 0, ...place },
});

describe('the messages of a process', () => {
  it('are ignored once it is gone', () => {
    const { child, sent } = silent();
    sockets.released(child);
    sockets.receive(child, bindMessage({}));
    expect(sent).toEqual([]);
    expect(sockets.addresses()).toEqual([]);
  });

  it('bind an address once for all processes', () => {
    const [first, second] = [silent(), silent()];
    sockets.receive(first.child, bindMessage({}));
    sockets.receive(second.child, bindMessage({}));
    expect(sockets.addresses()).toHaveLength(1);
    expect(second.sent).toEqual(first.sent);
  });

  it('are answered with the error of the system', () => {
    const { child, sent } = silent();
    sockets.receive(child, bindMessage({ host: '203.0.113.1' }));
    expect(sent).toMatchObject([{ type: 'refused', seq: 1, code: 'EADDRNOTAVAIL' }]);
  });

  it.each([
    { host: 'localhost' },
    { port: -1 },
    { port: 1.5 },
    { kind: 'pipe' as const },
    { index: -1 },
    { kind: 'udp4' as const, host: '::1' },
  ])('are refused if they are invalid: %j', (place) => {
    const { child, sent } = silent();
    sockets.receive(child, bindMessage(place));
    expect(sent).toMatchObject([{ type: 'refused', code: 'EINVAL' }]);
    expect(sockets.addresses()).toEqual([]);
  });
});

describe('a socket that may be closed', () => {
  it('belongs to a process that was given it, until that process closes it', () => {
    const [{ child }, other] = [silent(), silent()];
    sockets.receive(child, bindMessage({}));
    sockets.receive(other.child, bindMessage({}));
    const [socket] = sockets.closable;
    expect(socket).toMatchObject({ address: sockets.addresses()[0], askedWith: { listen: [] } });
    expect([socket!.isOf(child), socket!.isOf(silent().child)]).toEqual([true, false]);
    const { key } = other.sent[0] as Extract<DownMessage, { type: 'granted' }>;
    sockets.receive(child, { cmd: marker, type: 'closed', key });
    expect(socket!.isOf(child)).toBe(false);
  });

  it('may belong to a process of a dead daemon, until that process has returned all its sockets', () => {
    const [{ child }, other] = [silent(), silent()];
    sockets.receive(other.child, bindMessage({}));
    sockets.expect(child, new Promise(() => {}));
    expect(sockets.closable.map(({ isOf }) => isOf(child))).toEqual([true]);
    sockets.receive(child, { cmd: marker, type: 'sockets-returned' });
    expect(sockets.closable.map(({ isOf }) => isOf(child))).toEqual([false]);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { Child, LaunchPlan } from '../../../../src/daemon/launch/launcher.ts';
import { AddressBook } from '../../../../src/daemon/sockets/address-book.ts';
import { createGroupSockets } from '../../../../src/daemon/sockets/create-group-sockets.ts';
import type { Stage } from '../../../../src/daemon/sockets/listening.ts';
import { type BindRequest, type DownMessage, marker, type UpMessage } from '../../../../src/ipc/worker-messages.ts';
import { freePort } from '../../../helpers/http.ts';

let stage: Stage = 'starting';
const app = { spec: { listen: [] }, stageOf: () => stage, look: () => {} };
const sockets = createGroupSockets({ group: 'web', schedule: 'kernel', node: true, book: new AddressBook(), app });
afterEach(() => {
  sockets.close();
  stage = 'starting';
});

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

/** A process that was given a socket at a port that the system has chosen for it, and listens there. `begun`: at this stage. */
function listener(begun: Stage, { port = 0, isOnDemand = false, child = silent() } = {}) {
  stage = 'starting';
  sockets.receive(child.child, bindMessage({ port, index: child.sent.length }));
  stage = begun;
  const { key } = child.sent.at(-1) as Extract<DownMessage, { type: 'granted' }>;
  sockets.receive(child.child, { cmd: marker, type: 'listening', key, address: '127.0.0.1:1', isOnDemand });
  return { ...child, key, port: () => Number(sockets.addresses().at(-1)?.split(':')[1]) };
}

const settles = ({ child }: { child: Child }) => sockets.receive(child, { cmd: marker, type: 'serving' });
const areKept = () => sockets.closable.map(({ isKept }) => isKept);

describe('a socket waits for a successor of its process', () => {
  it.each<[Stage, boolean]>([
    ['starting', true],
    ['young', true],
    ['grown', false],
  ])('if the process was %s when it began to listen: %s', (begun, expected) => {
    const first = listener('starting');
    settles(first);
    const { child } = listener(begun, { child: first });
    sockets.released(child);
    expect(areKept()).toEqual([true, expected]);
  });

  it('if it is what the process has opened first, however late', () => {
    const late = listener('grown');
    settles(late);
    sockets.leaving(late.child);
    expect(areKept()).toEqual([true]);
  });

  it('if the process has closed it and opened it again, however late', () => {
    const first = listener('starting');
    settles(first);
    sockets.receive(first.child, { cmd: marker, type: 'closed', key: first.key });
    stage = 'grown';
    sockets.receive(first.child, { cmd: marker, type: 'listening', key: first.key, address: '127.0.0.1:1' });
    sockets.released(first.child);
    expect(areKept()).toEqual([true]);
  });

  it('unless the process has closed it', () => {
    const { child, key } = listener('starting');
    sockets.receive(child, { cmd: marker, type: 'closed', key });
    sockets.released(child);
    expect(areKept()).toEqual([false]);
  });
});

describe('a process is expected where the others of its app listen', () => {
  it('until it listens there', async () => {
    const port = await freePort();
    const [named, next] = [listener('starting', { port }), silent()];
    expect(sockets.served.missing(next.child, [named.child])).toEqual([`127.0.0.1:${port}`]);
    listener('starting', { port, child: next });
    expect(sockets.served.missing(next.child, [named.child])).toEqual([]);
  });

  it('but not if it listens in as many other places', async () => {
    const [named, next] = [listener('starting', { port: await freePort() }), silent()];
    listener('starting', { child: next });
    expect(sockets.served.missing(next.child, [named.child])).toEqual([]);
  });

  it('nor where one has begun to listen while a client was connected', async () => {
    const named = listener('young', { port: await freePort(), isOnDemand: true });
    expect(sockets.served.missing(silent().child, [named.child])).toEqual([]);
  });
});

describe('a process that is ready', () => {
  it('binds a port that the system chooses by itself', () => {
    const { child, sent } = silent();
    stage = 'young';
    sockets.receive(child, bindMessage({}));
    expect(sent).toEqual([{ cmd: marker, type: 'unshared', seq: 1 }]);
    expect(sockets.addresses()).toEqual([]);
  });
});

describe('a request that may be a test', () => {
  it('is not granted at once if only other processes of the app are in the way', () => {
    const held = listener('starting');
    const [tester, place] = [silent(), { host: '0.0.0.0', port: held.port() }];
    const test = { ...bindMessage(place), mayBeTest: true } as UpMessage;
    sockets.receive(tester.child, test);
    sockets.receive(held.child, test);
    sockets.receive(tester.child, bindMessage(place));
    expect(tester.sent).toMatchObject([{ type: 'in-own-way' }, { type: 'refused', code: 'EADDRINUSE' }]);
    expect(held.sent.at(-1)).toMatchObject({ type: 'refused', code: 'EADDRINUSE' });
    sockets.released(held.child);
    sockets.receive(tester.child, bindMessage(place));
    expect(tester.sent.at(-1)).toMatchObject({ type: 'granted' });
    expect(sockets.addresses()).toEqual([String(place.port)]);
  });
});

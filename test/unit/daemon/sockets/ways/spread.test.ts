import { beforeEach, describe, expect, it } from 'vitest';
import type { Child } from '../../../../../src/daemon/launch/launcher.ts';
import type { SocketMember } from '../../../../../src/daemon/sockets/held-socket.ts';
import { Spread } from '../../../../../src/daemon/sockets/ways/spread.ts';
import type { DownMessage } from '../../../../../src/ipc/worker-messages.ts';
import type { Handle } from '../../../../../src/os/sockets/node-handles.ts';
import { FakeClock } from '../../../../helpers/fake-clock.ts';

let clock: FakeClock;
let spread: Spread;
/** What was sent since it was last looked at. */
let sent: string[];
/** The number of the last connection that each process was sent. */
let given: Map<Child, number>;
let unreachable: Set<string>;
let closed: string[];

const process = (name: string): Child =>
  ({
    pid: name,
    send(message: DownMessage, handle?: { name: string }) {
      if (handle && unreachable.has(name)) return false;
      if (message.type === 'connection') given.set(processes[name]!, message.seq);
      sent.push(`${name}: ${textOf(message)}${handle ? ` ${handle.name}` : ''}`);
      return true;
    },
  }) as unknown as Child;

const processes: Record<string, Child> = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, process(name)]));
const { a, b, c } = processes as { a: Child; b: Child; c: Child };
const member = (child: Child) => ({ child }) as SocketMember;
const connection = (name: string) => ({ name, close: () => void closed.push(name) }) as unknown as Handle;

function textOf(message: DownMessage): string {
  if (message.type === 'spread') return `${message.others} others`;
  if (message.type === 'offer-answered') return `${message.isWanted ? 'pass on' : 'keep'} ${message.seq}`;
  if (message.type === 'passed-on') return `passed on ${message.seq}`;
  return message.type;
}

beforeEach(() => {
  [clock, sent, closed, given, unreachable] = [new FakeClock(), [], [], new Map(), new Set()];
  spread = new Spread('80', clock);
});

function news(): string[] {
  return sent.splice(0);
}

function listen(...all: Child[]): void {
  for (const child of all) spread.joined(member(child));
  news();
}

const offer = (child: Child, seq: number, open: number) => spread.offered(child, { seq, open });

/** The process has taken the connection that it was sent. */
const take = (child: Child) => spread.accepted(child, given.get(child)!);

describe('processes that share a socket', () => {
  it('are told how many others accept, unless there are none', () => {
    spread.joined(member(a));
    expect(news()).toEqual([]);
    spread.joined(member(b));
    expect(news()).toEqual(['a: 1 others', 'b: 1 others']);
    spread.joined(member(c));
    expect(news()).toEqual(['a: 2 others', 'b: 2 others', 'c: 2 others']);
    spread.suspended(member(c));
    expect(news()).toEqual(['a: 1 others', 'b: 1 others', 'c: 1 others']);
    spread.resumed(member(c));
    expect(news()).toEqual(['a: 2 others', 'b: 2 others', 'c: 2 others']);
    spread.leaving(member(a));
    spread.left(member(a));
    expect(news()).toEqual(['b: 1 others', 'c: 1 others']);
    spread.left(member(b));
    expect(news()).toEqual(['c: 0 others']);
  });

  it('are not asked while nothing is offered', async () => {
    listen(a, b, c);
    await clock.passes(60_000);
    expect(news()).toEqual([]);
  });
});

describe('a connection on offer', () => {
  it('goes to the process with the fewest', () => {
    listen(a, b, c);
    offer(a, 1, 5);
    expect(news()).toEqual(['b: count', 'c: count']);
    spread.counted(b, 4);
    expect(news()).toEqual([]);
    spread.counted(c, 3);
    expect(news()).toEqual(['a: pass on 1']);
    spread.passed(a, 1, connection('x'));
    expect(news()).toEqual(['c: connection x', 'a: passed on 1']);
    expect(closed).toEqual([]);
    take(c);
    expect([closed, clock.pending]).toEqual([['x'], 0]);
  });

  it('stays where it is if no other process has fewer', () => {
    listen(a, b);
    offer(a, 1, 16);
    spread.counted(b, 16);
    expect([news(), clock.pending]).toEqual([['b: count', 'a: keep 1'], 0]);
  });

  it('stays where it is if the other cannot take it', () => {
    listen(a, b);
    offer(a, 1, 5);
    spread.counted(b, null);
    expect(news()).toEqual(['b: count', 'a: 0 others', 'a: keep 1']);
  });

  it('stays where it is while another one is on offer', () => {
    listen(a, b, c);
    offer(a, 1, 5);
    offer(b, 7, 5);
    expect(news()).toEqual(['b: count', 'c: count', 'b: keep 7']);
    spread.counted(b, 6);
    spread.counted(c, 0);
    offer(b, 8, 6);
    expect(news()).toEqual(['a: pass on 1', 'b: keep 8']);
    spread.passed(a, 1, connection('x'));
    offer(b, 9, 6);
    expect(news()).toEqual(['c: connection x', 'a: passed on 1', 'a: count', 'c: count']);
  });

  it('does not go to a process that does not answer within two tries, nor waits for it again', async () => {
    listen(a, b, c);
    offer(a, 1, 5);
    spread.counted(b, 4);
    await clock.passes(9);
    expect(news()).toEqual(['b: count', 'c: count']);
    await clock.passes(1);
    expect(news()).toEqual(['a: pass on 1']);
    spread.passed(a, 1, connection('x'));
    take(b);
    news();
    offer(a, 2, 9);
    expect(news()).toEqual(['b: count']);
    spread.counted(b, 5);
    expect(news()).toEqual(['a: pass on 2']);
  });

  it('goes to it again when it has answered', async () => {
    listen(a, b);
    offer(a, 1, 5);
    await clock.passes(10);
    expect(news()).toEqual(['b: count', 'a: keep 1']);
    spread.counted(b, 0);
    offer(a, 2, 6);
    spread.counted(b, 0);
    expect(news()).toEqual(['b: count', 'a: pass on 2']);
  });

  it('does not go to a process that is out of the accept queue', () => {
    listen(a, b, c);
    spread.suspended(member(c));
    news();
    offer(a, 1, 5);
    spread.counted(b, 4);
    expect(news()).toEqual(['b: count', 'a: pass on 1']);
  });

  it('has to be kept by a process that does not send it in time', async () => {
    listen(a, b);
    offer(a, 1, 5);
    spread.counted(b, 0);
    await clock.passes(10);
    offer(b, 7, 3);
    spread.passed(a, 1, connection('x'));
    expect([news(), closed]).toEqual([['b: count', 'a: pass on 1', 'a: count', 'a: keep 1'], ['x']]);
  });

  it.each([
    ['dies', () => spread.left(member(a))],
    ['loses its channel', () => spread.lost(a)],
  ])('is forgotten when its process %s', (_, happens) => {
    listen(a, b, c);
    offer(a, 1, 5);
    news();
    happens();
    news();
    spread.counted(b, 0);
    spread.counted(c, 0);
    expect([news(), clock.pending]).toEqual([[], 0]);
  });
});

describe('a connection that is passed on', () => {
  beforeEach(() => {
    listen(a, b, c);
    offer(a, 1, 5);
    spread.counted(b, 2);
    spread.counted(c, 3);
    news();
  });

  /** Without what is said of the number of others. */
  const connections = () => news().filter((text) => !text.endsWith('others'));

  it('goes to another process when the first dies before taking it', () => {
    spread.passed(a, 1, connection('x'));
    spread.left(member(a));
    spread.left(member(b));
    expect(connections()).toEqual(['b: connection x', 'a: passed on 1', 'c: connection x']);
    take(c);
    expect(closed).toEqual(['x']);
  });

  it('goes to another process when the first has closed its server', () => {
    spread.passed(a, 1, connection('x'));
    spread.declined(b, given.get(b)!);
    expect(connections()).toEqual(['b: connection x', 'a: passed on 1', 'a: connection x']);
  });

  it('goes to another process when it cannot be sent to the first', () => {
    unreachable.add('b');
    spread.passed(a, 1, connection('x'));
    expect(connections()).toEqual(['a: connection x', 'a: passed on 1']);
  });

  it('goes to another process when the first has gone before it has come', () => {
    spread.left(member(b));
    spread.passed(a, 1, connection('x'));
    expect(connections()).toEqual(['a: connection x', 'a: passed on 1']);
  });

  it('goes to a process that answers, if there is one', async () => {
    spread.passed(a, 1, connection('x'));
    offer(c, 1, 9);
    spread.counted(b, 9);
    await clock.passes(10);
    news();
    spread.left(member(b));
    expect(connections()).toEqual(['c: connection x']);
  });

  it('waits for a process when none is left', () => {
    spread.passed(a, 1, connection('x'));
    for (const child of [a, c, b]) spread.left(member(child));
    expect(spread.waiting).toBe(1);
    news();
    spread.joined(member(b));
    expect(news()).toEqual(['b: connection x']);
    expect(spread.waiting).toBe(0);
  });

  it('ends when the process that may have it loses its channel', () => {
    spread.passed(a, 1, connection('x'));
    spread.lost(b);
    expect(closed).toEqual(['x']);
  });

  it('stays where it is when it was not wanted', () => {
    spread.passed(a, 2, connection('x'));
    spread.passed(c, 1, connection('y'));
    expect([news(), closed]).toEqual([
      ['a: keep 2', 'c: keep 1'],
      ['x', 'y'],
    ]);
  });

  it('is closed with the socket', () => {
    spread.passed(a, 1, connection('x'));
    for (const child of [a, c, b]) spread.left(member(child));
    spread.close();
    expect(closed).toEqual(['x']);
  });
});

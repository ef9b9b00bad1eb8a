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
  if (message.type === 'spread') return message.on ? 'offer' : 'keep all';
  if (message.type === 'offer-answered')
    return `${message.isWanted ? 'pass on' : 'keep'} ${message.seq}, up to ${message.keep}`;
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

const offer = (child: Child, seq: number, open: number, waiting = 0) => spread.offered(child, { seq, open, waiting });

/** The process has taken the connection that it was sent. */
const take = (child: Child, open: number) => spread.accepted(child, given.get(child)!, open);

describe('processes that share a socket', () => {
  it('offer connections once there are two, until only one is left', () => {
    spread.joined(member(a));
    expect(news()).toEqual([]);
    spread.joined(member(b));
    expect(news()).toEqual(['a: offer', 'b: offer']);
    spread.joined(member(c));
    expect(news()).toEqual(['c: offer']);
    spread.leaving(member(a));
    spread.left(member(a));
    expect(news()).toEqual([]);
    spread.left(member(b));
    expect(news()).toEqual(['c: keep all']);
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
    expect(news()).toEqual(['a: pass on 1, up to 5']);
    spread.passed(a, 1, connection('x'));
    expect(news()).toEqual(['c: connection x', 'a: passed on 1']);
    expect(closed).toEqual([]);
    take(c, 4);
    expect(closed).toEqual(['x']);
  });

  it('stays where it is if no other process has fewer', () => {
    listen(a, b);
    offer(a, 1, 16);
    spread.counted(b, 17);
    expect(news()).toEqual(['b: count', 'a: keep 1, up to 20']);
  });

  it('stays where it is if the other cannot take it', () => {
    listen(a, b);
    offer(a, 1, 5);
    spread.counted(b, null);
    expect(news()).toEqual(['b: count', 'a: keep all', 'a: keep 1, up to 7']);
  });

  it('has its process keep its share of those that wait', () => {
    listen(a, b, c);
    offer(a, 1, 1, 31);
    spread.counted(b, 2);
    spread.counted(c, 0);
    expect(news()).toEqual(['b: count', 'c: count', 'a: pass on 1, up to 11']);
  });

  it('is not placed by what was known before', () => {
    listen(a, b);
    offer(a, 1, 3);
    spread.counted(b, 1);
    spread.passed(a, 1, connection('x'));
    take(b, 2);
    news();
    offer(a, 2, 3);
    expect(news()).toEqual(['b: count']);
  });

  it('waits for its turn when the process that is to get it takes another', () => {
    listen(a, b, c);
    offer(a, 1, 5);
    spread.counted(b, 9);
    spread.counted(c, 0);
    spread.passed(a, 1, connection('x'));
    news();
    offer(a, 2, 5);
    expect(news()).toEqual([]);
    take(c, 1);
    expect(news()).toEqual(['a: pass on 2, up to 5']);
  });

  it('does not go to a process that does not answer within two tries, nor waits for it again', async () => {
    listen(a, b, c);
    offer(a, 1, 5);
    spread.counted(b, 4);
    await clock.passes(9);
    expect(news()).toEqual(['b: count', 'c: count']);
    await clock.passes(1);
    expect(news()).toEqual(['a: pass on 1, up to 6']);
    spread.passed(a, 1, connection('x'));
    take(b, 5);
    news();
    offer(a, 2, 9);
    expect(news()).toEqual(['b: count']);
    spread.counted(b, 5);
    expect(news()).toEqual(['a: pass on 2, up to 7']);
  });

  it('goes to it again when it has answered', async () => {
    listen(a, b);
    offer(a, 1, 5);
    await clock.passes(10);
    expect(news()).toEqual(['b: count', 'a: keep 1, up to 7']);
    spread.counted(b, 0);
    offer(a, 2, 6);
    spread.counted(b, 0);
    expect(news()).toEqual(['b: count', 'a: pass on 2, up to 3']);
    expect(clock.pending).toBe(0);
  });

  it('does not go to a process that is out of the accept queue', () => {
    listen(a, b, c);
    spread.suspended(member(c));
    offer(a, 1, 5);
    spread.counted(b, 4);
    expect(news()).toEqual(['b: count', 'a: pass on 1, up to 6']);
    spread.passed(a, 1, connection('x'));
    take(b, 5);
    spread.resumed(member(c));
    news();
    offer(a, 2, 5);
    expect(news()).toEqual(['b: count', 'c: count']);
  });

  it('is left alone when its process has taken it back', () => {
    listen(a, b);
    offer(a, 1, 5);
    spread.takenBack(a, 1);
    spread.counted(b, 0);
    expect(news()).toEqual(['b: count']);
    offer(a, 2, 5);
    news();
    spread.takenBack(a, 2);
    spread.passed(a, 2, connection('x'));
    expect([news(), closed]).toEqual([['a: keep 2, up to 7'], ['x']]);
  });

  it.each([
    ['dies', () => spread.left(member(a))],
    ['loses its channel', () => spread.lost(a)],
  ])('is forgotten when its process %s', (_, happens) => {
    listen(a, b, c);
    offer(a, 1, 5);
    happens();
    spread.counted(b, 0);
    spread.counted(c, 0);
    expect(news()).toEqual(['b: count', 'c: count']);
  });

  it('is one at a time for each process', () => {
    listen(a, b);
    offer(a, 1, 5);
    offer(a, 2, 5);
    spread.counted(b, 0);
    expect(news()).toEqual(['b: count', 'a: pass on 1, up to 3']);
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

  it('goes to another process when the first dies before taking it', () => {
    spread.passed(a, 1, connection('x'));
    spread.left(member(b));
    expect(news()).toEqual(['b: connection x', 'a: passed on 1', 'c: connection x']);
    take(c, 4);
    expect(closed).toEqual(['x']);
  });

  it('goes to another process when the first has closed its server', () => {
    spread.passed(a, 1, connection('x'));
    spread.declined(b, given.get(b)!);
    expect(news()).toEqual(['b: connection x', 'a: passed on 1', 'c: connection x']);
  });

  it('goes to another process when it cannot be sent to the first', () => {
    unreachable.add('b');
    spread.passed(a, 1, connection('x'));
    expect(news()).toEqual(['c: connection x', 'a: passed on 1']);
  });

  it('goes to another process when the first has gone before it has come', () => {
    spread.left(member(b));
    spread.passed(a, 1, connection('x'));
    expect(news()).toEqual(['a: passed on 1', 'c: connection x']);
  });

  it('may come back to its process, when no other is left', () => {
    spread.passed(a, 1, connection('x'));
    spread.left(member(c));
    spread.left(member(b));
    expect(news()).toEqual(['b: connection x', 'a: passed on 1', 'a: connection x', 'a: keep all']);
  });

  it('waits for a process when none is left', () => {
    spread.passed(a, 1, connection('x'));
    for (const child of [a, b, c]) spread.left(member(child));
    expect(spread.waiting).toBe(1);
    news();
    spread.joined(member(b));
    spread.counted(b, 0);
    expect(news()).toEqual(['b: count', 'b: connection x']);
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
      ['a: keep 2, up to 3', 'c: keep 1, up to 4'],
      ['x', 'y'],
    ]);
  });

  it('is closed with the socket', () => {
    spread.passed(a, 1, connection('x'));
    for (const child of [a, b, c]) spread.left(member(child));
    spread.close();
    expect(closed).toEqual(['x']);
  });
});

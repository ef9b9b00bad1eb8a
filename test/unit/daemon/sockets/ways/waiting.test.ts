// Which process gets which of the connections that wait.
import { describe, expect, it } from 'vitest';
import type { Child } from '../../../../../src/daemon/launch/launcher.ts';
import type { SocketMember } from '../../../../../src/daemon/sockets/held-socket.ts';
import { ByClient, slotOf, type Waiting, waitingInTurn } from '../../../../../src/daemon/sockets/ways/waiting.ts';
import type { Handle } from '../../../../../src/os/sockets/node-handles.ts';

interface Client extends Handle {
  id: string;
}

function member(slot: number, pid: number): SocketMember {
  return { child: { pid, plan: { slot } } as Child, grants: 1 };
}

/** `address`: of the client; undefined for a Unix socket. */
function client(id: string, address: string | undefined): Client {
  const getpeername = (out: { address?: string }) => {
    out.address = address!;
    return 0;
  };
  return { id, fd: 7, close() {}, ...(address !== undefined && { getpeername }) };
}

/** Of `slot`, if all of `slots` are there. */
function addressOf(slot: number, slots: number[], nth = 0): string {
  const all = Array.from({ length: 200 }, (_, index) => `10.0.0.${index}`);
  return all.filter((address) => slotOf(address, slots) === slot)[nth]!;
}

/** Who gets what, while all are free again at once. */
function served(waiting: Waiting, free: SocketMember[]): string[] {
  const all: string[] = [];
  for (let next = waiting.take(free); next; next = waiting.take(free))
    all.push(`${(next.client as Client).id} -> ${next.member.child.pid}`);
  return all;
}

const [first, second, third] = [member(0, 10), member(1, 11), member(2, 12)] as const;
const all = [first, second, third];

describe('connections that are served in turn', () => {
  it('go to the first that is free, the oldest first', () => {
    const waiting = waitingInTurn();
    for (const id of ['b', 'c']) waiting.add(client(id, '10.0.0.1'));
    waiting.addFirst(client('a', '10.0.0.1'));
    expect(waiting.size).toBe(3);
    expect(waiting.take([])).toBeUndefined();
    expect(waiting.take([second, first])).toMatchObject({ client: { id: 'a' }, member: second });
    expect(served(waiting, [first])).toEqual(['b -> 10', 'c -> 10']);
  });
});

describe('connections that are served by client', () => {
  function byClient(members: readonly SocketMember[] = all): ByClient {
    const waiting = new ByClient();
    waiting.serve(members);
    return waiting;
  }

  const ofFirst = addressOf(0, [0, 1, 2]);
  const ofThird = addressOf(2, [0, 1, 2]);

  it('go to the process of the client, and wait while it is not free', () => {
    const waiting = byClient();
    for (const id of ['a', 'b']) waiting.add(client(id, ofFirst));
    waiting.add(client('c', ofThird));
    expect(served(waiting, [second, third])).toEqual(['c -> 12']);
    expect(waiting.size).toBe(2);
    expect(served(waiting, all)).toEqual(['a -> 10', 'b -> 10']);
  });

  it('go to another process while that one is gone, and then back', () => {
    const waiting = byClient();
    for (const id of ['a', 'b']) waiting.add(client(id, ofThird));
    waiting.serve([first, second]);
    const other = slotOf(ofThird, [0, 1]) === 0 ? 10 : 11;
    expect(served(waiting, [first, second])).toEqual([`a -> ${other}`, `b -> ${other}`]);
    waiting.serve(all);
    waiting.add(client('c', ofThird));
    expect(served(waiting, all)).toEqual(['c -> 12']);
  });

  it('go to the old process of a slot until it leaves', () => {
    const old = member(2, 12);
    const next = member(2, 22);
    const waiting = byClient([first, second, old]);
    waiting.serve([first, second, old, next]);
    waiting.add(client('a', ofThird));
    expect(served(waiting, [next])).toEqual([]);
    expect(served(waiting, [next, old])).toEqual(['a -> 12']);
    waiting.serve([first, second, next]);
    waiting.add(client('b', ofThird));
    expect(served(waiting, [next])).toEqual(['b -> 22']);
  });

  it('wait for the first process that comes', () => {
    const waiting = byClient([]);
    waiting.add(client('a', ofThird));
    expect(served(waiting, all)).toEqual([]);
    waiting.serve([second]);
    expect(served(waiting, [second])).toEqual(['a -> 11']);
  });

  it('are served in turn if they come by a Unix socket', () => {
    const waiting = byClient();
    for (const id of ['a', 'b', 'c']) waiting.add(client(id, undefined));
    expect(new Set(served(waiting, all).map((line) => line.slice(5)))).toEqual(new Set(['10', '11', '12']));
  });

  it('are all given up at the end', () => {
    const waiting = byClient();
    waiting.add(client('a', ofFirst));
    waiting.addFirst(client('b', ofThird));
    expect(waiting.clear()).toHaveLength(2);
    expect(waiting.size).toBe(0);
  });
});

const addresses = Array.from({ length: 4_000 }, (_, index) => `::ffff:10.0.${index >> 8}.${index & 255}`);
const slotsOf = (slots: number[]) => addresses.map((address) => slotOf(address, slots));

describe('the slot of a client', () => {
  it('does not depend on the order of the slots', () => {
    expect(slotsOf([3, 1, 0, 2])).toEqual(slotsOf([0, 1, 2, 3]));
  });

  it('is evenly distributed', () => {
    const found = slotsOf([0, 1, 2, 3]);
    for (const slot of [0, 1, 2, 3]) {
      const count = found.filter((each) => each === slot).length;
      expect(count).toBeGreaterThan(900);
      expect(count).toBeLessThan(1_100);
    }
  });

  it('changes only for the clients of a removed slot', () => {
    const before = slotsOf([0, 1, 2, 3]);
    const after = slotsOf([0, 1, 3]);
    expect(after.filter((slot, index) => slot !== before[index] && before[index] !== 2)).toEqual([]);
    expect(new Set(after.filter((_, index) => before[index] === 2))).toEqual(new Set([0, 1, 3]));
  });

  it('changes to an added slot for some clients of each slot, and stays for all others', () => {
    const before = slotsOf([0, 1, 2]);
    const after = slotsOf([0, 1, 2, 3]);
    expect(after.filter((slot, index) => slot !== before[index] && slot !== 3)).toEqual([]);
    expect(new Set(before.filter((_, index) => after[index] === 3))).toEqual(new Set([0, 1, 2]));
  });
});

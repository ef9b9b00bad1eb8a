import { beforeEach, describe, expect, it } from 'vitest';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import { Accepting, chooseOut } from '../../../../src/daemon/sockets/accepting.ts';

let deeds: string[] = [];
/** What each process was last told, and what the socket was. */
let reported = new Map<Child, string[]>();
let suspended = new Set<string>();
let deaf: Child | undefined;
let accepting: Accepting;

const process = (name: string) => ({ pid: name }) as unknown as Child;
const nameOf = ({ pid }: Child) => String(pid);
let [a, b, c] = ['a', 'b', 'c'].map(process) as [Child, Child, Child];

beforeEach(() => {
  [a, b, c] = ['a', 'b', 'c'].map(process) as [Child, Child, Child];
  [deeds, reported, suspended, deaf] = [[], new Map(), new Set(), undefined];
  accepting = new Accepting({
    send(child, out) {
      if (child === deaf) return false;
      deeds.push(`${nameOf(child)}: ${out.join(' ') || 'in'}`);
      reported.set(child, out);
      return true;
    },
    suspended(child, key) {
      deeds.push(`${key} without ${nameOf(child)}`);
      suspended.add(`${key} ${nameOf(child)}`);
    },
    resumed(child, key) {
      deeds.push(`${key} with ${nameOf(child)}`);
      suspended.delete(`${key} ${nameOf(child)}`);
    },
  });
});

/** What has happened since the last call. */
function since(): string[] {
  return deeds.splice(0);
}

function listen(key: string, ...children: Child[]): void {
  for (const child of children) accepting.began(child, key, true);
}

describe('the processes out of the accept queue', () => {
  const one = { isHeldBack: false, wantsOut: false, canLeave: true, isOut: false };
  const leaver = { ...one, wantsOut: true };
  const held = { ...one, isHeldBack: true };

  it.each([
    ['none if none wants to leave', [one, one], []],
    ['those that want to leave', [leaver, one, leaver], [0, 2]],
    ['none if there is only one', [leaver], []],
    ['all but the one that is still in, if all want to leave', [{ ...leaver, isOut: true }, leaver], [0]],
    ['all but the last, if all of them are out', [leaver, leaver].map((each) => ({ ...each, isOut: true })), [0]],
    ['only those that can leave', [leaver, { ...leaver, canLeave: false }], [0]],
    ['none if there are no processes', [], []],
    ['those that are held back, even if nobody else accepts', [held, held], [0, 1]],
    ['those that are held back, but not the last of the others', [held, leaver], [0]],
    ['not those that are held back but cannot leave', [{ ...held, canLeave: false }, one], []],
  ])('are %s', (_, all, out) => {
    const copies = all.map((each) => ({ ...each }));
    expect(chooseOut(copies)).toEqual(out.map((index) => copies[index]));
  });
});

describe('a process of a group', () => {
  it('receives nothing while no process is to leave', () => {
    listen('80', a, b);
    accepting.ended(b, '80');
    accepting.departed(a);
    expect(since()).toEqual([]);
  });

  it('leaves once others are known to accept, and comes back', () => {
    listen('80', a, b);
    accepting.leave(a, 'x');
    expect(since()).toEqual(['80 without a', 'a: 80']);
    expect([accepting.accepts(a, '80'), accepting.accepts(b, '80')]).toEqual([false, true]);
    accepting.join(a, 'x');
    expect(since()).toEqual(['a: in', '80 with a']);
  });

  it('leaves all its sockets on which it is not the last', () => {
    listen('80', a, b);
    listen('81', a);
    listen('82', a, c);
    accepting.leave(a, 'x');
    expect(reported.get(a)).toEqual(['80', '82']);
  });

  it('stays in if another process has left first', () => {
    listen('80', a, b);
    accepting.leave(a, 'x');
    since();
    accepting.leave(b, 'x');
    expect(since()).toEqual([]);
  });

  it.each([
    ['closes its socket', () => accepting.ended(b, '80')],
    ['dies, or is stopped or replaced', () => accepting.departed(b)],
    ['loses its channel', () => accepting.lost(b)],
  ])('is called back at once when the last other one %s', (_, happens) => {
    listen('80', a, b);
    accepting.leave(a, 'x');
    since();
    happens();
    expect(since()).toEqual(['a: in', '80 with a']);
  });

  it('leaves again once another process listens', () => {
    listen('80', a, b);
    accepting.leave(a, 'x');
    accepting.departed(b);
    since();
    listen('80', c);
    expect(since()).toEqual(['80 without a', 'a: 80']);
  });

  it('accepts again if the only process that still accepts exits', () => {
    listen('80', a, b, c);
    for (const child of [a, b, c]) accepting.leave(child, 'x');
    expect([a, b, c].map((child) => accepting.accepts(child, '80'))).toEqual([false, false, true]);
    accepting.departed(c);
    expect([a, b].filter((child) => accepting.accepts(child, '80'))).toHaveLength(1);
  });

  it('stays out as long as there is a cause', () => {
    listen('80', a, b);
    accepting.leave(a, 'x');
    accepting.leave(a, 'y');
    since();
    accepting.join(a, 'x');
    accepting.join(a, 'never');
    expect(since()).toEqual([]);
    accepting.join(a, 'y');
    expect(since()).toEqual(['a: in', '80 with a']);
  });

  it('leaves a socket that it opens while it is out, and rejoins all of them', () => {
    listen('80', a, b);
    listen('81', b);
    accepting.leave(a, 'x');
    listen('81', a);
    expect(reported.get(a)).toEqual(['80', '81']);
    accepting.join(a, 'x');
    expect(reported.get(a)).toEqual([]);
  });

  it('accepts again after it has lost its channel, and can leave again after that', () => {
    listen('80', a, b);
    accepting.leave(a, 'x');
    accepting.lost(a);
    listen('80', a);
    expect(accepting.accepts(a, '80')).toBe(true);
    since();
    accepting.leave(a, 'x');
    expect(since()).toEqual(['80 without a', 'a: 80']);
  });

  it('stays in if it cannot leave or cannot be reached', () => {
    accepting.began(a, '80', false);
    listen('80', b);
    accepting.leave(a, 'x');
    expect(since()).toEqual([]);
    deaf = b;
    accepting.leave(b, 'x');
    expect(since()).toEqual(['80 without b', '80 with b']);
    expect(accepting.accepts(b, '80')).toBe(true);
  });

  it('is not called back once it is leaving for good', () => {
    listen('80', a, b);
    accepting.leave(a, 'x');
    accepting.departed(a);
    since();
    listen('80', a);
    accepting.departed(b);
    accepting.leave(a, 'y');
    expect(since()).toEqual([]);
  });
});

describe('any sequence of events', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed + 1))('keeps an acceptor on each socket (seed %i)', (seed) => {
    const random = randomFrom(seed);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    const keys = ['80', '81'];
    let living = ['p', 'q', 'r'].map(process);
    const listening = new Set<string>();
    const acts = [
      (child: Child, key: string) => {
        listening.add(`${key} ${nameOf(child)}`);
        listen(key, child);
      },
      (child: Child, key: string) => {
        listening.delete(`${key} ${nameOf(child)}`);
        suspended.delete(`${key} ${nameOf(child)}`);
        accepting.ended(child, key);
      },
      (child: Child) => accepting.leave(child, pick(['x', 'y'])),
      (child: Child) => accepting.leave(child, pick(['x', 'y'])),
      (child: Child) => accepting.join(child, pick(['x', 'y'])),
      (child: Child) => {
        for (const key of keys) listening.delete(`${key} ${nameOf(child)}`);
        accepting.departed(child);
        living = [...living.filter((other) => other !== child), process(`n${Math.floor(random() * 1e9)}`)];
      },
    ];
    for (let step = 0; step < 300; step += 1) {
      pick(acts)(pick(living), pick(keys));
      for (const key of keys) {
        const here = living.filter((child) => listening.has(`${key} ${nameOf(child)}`));
        const isOut = (child: Child) => reported.get(child)?.includes(key) === true && !accepting.accepts(child, key);
        if (here.length > 0) expect(here.some((child) => !isOut(child))).toBe(true);
        for (const child of here) expect(suspended.has(`${key} ${nameOf(child)}`)).toBe(!accepting.accepts(child, key));
      }
    }
  });
});

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('a process that is held back', () => {
  it('accepts nothing from the first moment on, even alone, until it is let in', () => {
    accepting.holdBack(a, true);
    expect(accepting.given(a, '80')).toBe(true);
    accepting.began(a, '80', true);
    expect([accepting.accepts(a, '80'), since()]).toEqual([false, []]);
    accepting.holdBack(a, false);
    expect([accepting.accepts(a, '80'), since()]).toEqual([true, ['a: in', '80 with a']]);
  });

  it('comes back if it was let in before it listened', () => {
    accepting.holdBack(a, true);
    accepting.given(a, '80');
    accepting.holdBack(a, false);
    accepting.began(a, '80', true);
    expect([accepting.accepts(a, '80'), since()]).toEqual([true, ['a: in', '80 with a']]);
  });

  it('leaves if it was given the socket before', () => {
    expect(accepting.given(a, '80')).toBe(false);
    accepting.began(a, '80', true);
    accepting.holdBack(a, true);
    expect(since()).toEqual(['80 without a', 'a: 80']);
  });

  it('accepts if it cannot leave the queue, or has lost its channel', () => {
    accepting.holdBack(a, true);
    accepting.given(a, '80');
    accepting.began(a, '80', false);
    expect(accepting.accepts(a, '80')).toBe(true);
    accepting.lost(a);
    accepting.began(a, '80', true);
    expect(accepting.accepts(a, '80')).toBe(true);
  });
  it('stays in once it was let in, as it connects to itself', () => {
    accepting.holdBack(a, true);
    accepting.given(a, '80');
    accepting.began(a, '80', true);
    accepting.letIn(a);
    accepting.holdBack(a, true);
    expect([accepting.accepts(a, '80'), since()]).toEqual([true, ['a: in', '80 with a']]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { Broadcasts, mostUnread } from '../../../../src/daemon/in-app/broadcasts.ts';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import { longestBroadcast, mostBroadcasts } from '../../../../src/ipc/worker-messages.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';

let clock: FakeClock;
let children: (Child & { received: object[] })[];
let broadcasts: Broadcasts;

beforeEach(() => {
  clock = new FakeClock();
  children = [0, 1, 2].map((slot) => {
    const received: object[] = [];
    return { received, plan: { slot }, send: (message: object) => received.push(message) > 0 } as never;
  });
  broadcasts = new Broadcasts(() => children, clock);
  for (const child of children) broadcasts.takesPart(child, true);
});

const counts = () => children.map(({ received }) => received.length);

describe('a broadcast', () => {
  it('reaches the processes that listen, but not its sender', () => {
    broadcasts.takesPart(children[2]!, false);
    broadcasts.pass(children[0]!, '"x"');
    expect(counts()).toEqual([0, 1, 0]);
    expect(children[1]!.received).toEqual([expect.objectContaining({ type: 'broadcast', from: 0, text: '"x"' })]);
  });

  it('reaches everybody, as often as the library allows it at once', () => {
    for (let count = 0; count < mostBroadcasts; count += 1) {
      for (const child of children) broadcasts.pass(child, '1');
    }
    expect(counts()).toEqual([2 * mostBroadcasts, 2 * mostBroadcasts, 2 * mostBroadcasts]);
  });

  it.each([
    ['long', 'x'.repeat(longestBroadcast), mostUnread / longestBroadcast],
    ['short', '1', (64 * mostUnread) / longestBroadcast],
  ])('is not kept for a process that does not read: %s ones', async (_what, text, most) => {
    for (let count = 0; count < most + 10; count += 1) {
      await clock.passes(1_000 / mostBroadcasts);
      broadcasts.pass(children[0]!, text);
      broadcasts.received(children[1]!, 1);
    }
    expect(counts()).toEqual([0, most + 10, most]);
    broadcasts.received(children[2]!, 1);
    broadcasts.pass(children[0]!, text);
    expect(children[2]!.received).toHaveLength(most + 1);
  });

  it('is dropped if its sender exceeds the rate limit of the library', async () => {
    const send = () => {
      broadcasts.pass(children[0]!, '1');
      broadcasts.received(children[1]!, 1);
    };
    for (let count = 0; count < 1_000; count += 1) send();
    expect(children[1]!.received).toHaveLength(2 * mostBroadcasts);
    await clock.passes(500);
    for (let count = 0; count < 1_000; count += 1) send();
    expect(children[1]!.received).toHaveLength(3 * mostBroadcasts);
  });
});

// Processes whose app has a handler of its own for errors.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import * as operations from '../../../../src/daemon/apps/operations.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { parseGroupRecord } from '../../../../src/daemon/state/group-record.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { type FakeChild, FakeWorld } from '../../../helpers/fake-host.ts';

let world: FakeWorld;
let group: Group;
beforeEach(async () => {
  world = new FakeWorld();
  group = await world.running({ instances: 2, node: true });
});

const fails = (child: FakeChild | undefined, kind = 'exception') => child!.sends({ type: 'handled-error', kind });
const greetingOf = (child: FakeChild | undefined) => child!.sent.find((message) => 'killTimeout' in message);
/** Which errors its processes have been told to report, one message after another. */
const wantedOf = (child: FakeChild) =>
  child.sent.flatMap((message) => ('wantedErrors' in message ? [message.wantedErrors] : []));

describe('a process whose app has handled an uncaught error', () => {
  it('leaves the accept queue, and its successor starts when it exits', async () => {
    const [first] = world.living;
    fails(first);
    expect(world.log).toEqual(['queue without 1000']);
    await world.clock.passes(3_900);
    first!.exits(1);
    await settle();
    expect(world.log).toEqual(['queue without 1000', 'exit 1000', 'spawn 1002']);
    await world.clock.passes(60_000);
    expect(world.log).not.toContain('queue with 1000');
    expect(greetingOf(world.children[2])).toMatchObject({ wantedErrors: ['exception', 'rejection'] });
  });

  it('rejoins the accept queue if it survives, and its app no longer reports that kind of error', async () => {
    const [first, second] = world.living;
    fails(first);
    await world.clock.passes(3_999);
    expect(world.log).toEqual(['queue without 1000']);
    await world.clock.passes(2);
    expect(world.log).toEqual(['queue without 1000', 'queue with 1000']);
    fails(first);
    fails(second);
    expect(world.log).toHaveLength(2);
    for (const child of [first!, second!]) expect(wantedOf(child).at(-1)).toEqual(['rejection']);
    second!.exits(1);
    await settle();
    expect(greetingOf(world.children[2])).toMatchObject({ wantedErrors: ['rejection'] });
  });

  it('does not affect how the other kind of error is treated', async () => {
    const [first, second] = world.living;
    fails(first, 'rejection');
    await world.clock.passes(4_001);
    fails(second, 'exception');
    expect(world.log).toEqual(['queue without 1000', 'queue with 1000', 'queue without 1001']);
  });

  it('leaves the queue once, however many errors occur', async () => {
    const [first] = world.living;
    for (const kind of ['exception', 'rejection', 'exception']) fails(first, kind);
    await world.clock.passes(2_000);
    fails(first);
    await world.clock.passes(2_001);
    expect(world.log).toEqual(['queue without 1000', 'queue with 1000']);
  });

  it('does not count as surviving if it was stopped in the meantime', async () => {
    const [first] = world.living;
    world.onSignal = () => {};
    fails(first);
    const stopped = operations.stop(everything(group));
    await settle();
    await world.clock.passes(4_500);
    for (const child of world.living) child.exits('SIGTERM');
    await stopped;
    expect(world.log).not.toContain('queue with 1000');
    expect(group.record().survived).toBeUndefined();
  });

  it('does not count as surviving if it exits just as the daemon checks again', async () => {
    const [first] = world.living;
    fails(first);
    world.clock.after(4_000, () => first!.exits(1));
    await world.clock.passes(4_100);
    expect(group.record().survived).toBeUndefined();
  });
});

describe('the record of errors that an app survives', () => {
  it('is passed to the next daemon', async () => {
    fails(world.living[0]);
    expect(group.record().survived).toBeUndefined();
    await world.clock.passes(4_001);
    expect(group.record().survived).toEqual(['exception']);
    const { survived } = parseGroupRecord(JSON.parse(JSON.stringify(group.record())), 'app');
    expect(survived).toEqual(['exception']);
  });

  it.each([[['exceptions']], ['exception'], [null]])('is rejected if it is invalid: %j', (survived) => {
    const record = { ...JSON.parse(JSON.stringify(group.record())), survived };
    expect(() => parseGroupRecord(record, 'app')).toThrow(/survived/);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import { everything } from '../../../../src/daemon/apps/registry.ts';
import { send, trigger } from '../../../../src/daemon/control/actions.ts';
import { settle } from '../../../helpers/fake-clock.ts';
import { type FakeChild, FakeWorld } from '../../../helpers/fake-host.ts';

let world: FakeWorld;
beforeEach(() => {
  world = new FakeWorld();
});

const triggered = (group: Group, action: Parameters<typeof trigger>[1]) =>
  trigger(everything(group), action, { events: world.bus, clock: world.clock });

function answers(child: FakeChild, action: string, value: unknown): void {
  child.says({ type: 'axm:reply', data: { action_name: action, return: value } });
}

describe('an action', () => {
  it.each<[Parameters<typeof trigger>[1], unknown]>([
    [{ action: 'purge' }, 'purge'],
    [
      { action: 'purge', param: 'all' },
      { msg: 'purge', opts: 'all' },
    ],
  ])('is sent, and answered by each instance: %j as %j', async (action, message) => {
    const group = await world.running({ instances: 2 });
    for (const child of world.living) child.takesMessages = true;
    const replies = triggered(group, action);
    const [first, second] = world.living;
    expect(first!.sent.at(-1)).toEqual(message);
    second!.says({ type: 'axm:reply', data: { action_name: 'other', return: 0 } });
    second!.says({ type: 'axm:reply' });
    answers(second!, 'purge', { ok: 2 });
    answers(first!, 'purge', undefined);
    expect(await replies).toEqual([
      { id: 0, name: 'web', slot: 0, reply: null },
      { id: 1, name: 'web', slot: 1, reply: { ok: 2 } },
    ]);
  });

  it('fails if no process answers within 10 s', async () => {
    const group = await world.running();
    world.living[0]!.takesMessages = true;
    const replies = triggered(group, { action: 'purge' });
    replies.catch(() => {});
    await world.clock.passes(10_000);
    await expect(replies).rejects.toMatchObject({ code: 'NO_REPLY', message: expect.stringContaining('within 10 s') });
  });

  it('fails if the process exits', async () => {
    const group = await world.running();
    world.living[0]!.takesMessages = true;
    const replies = triggered(group, { action: 'purge' });
    replies.catch(() => {});
    world.living[0]!.exits(1);
    await expect(replies).rejects.toMatchObject({ message: expect.stringContaining('it exited') });
  });

  it('requires a running process that takes messages', async () => {
    const stopped = triggered(world.group(), { action: 'purge' });
    await expect(stopped).rejects.toMatchObject({ code: 'NO_REPLY', message: expect.stringContaining('not running') });
    const deaf = triggered(await world.running(), { action: 'purge' });
    await expect(deaf).rejects.toMatchObject({ message: expect.stringContaining('not a Node program') });
  });
});

describe('a text', () => {
  it('requires a running process with a pipe', async () => {
    const stopped = send(everything(world.group()), 'hello');
    await expect(stopped).rejects.toMatchObject({ code: 'NO_INPUT', message: expect.stringContaining('not running') });
    const deaf = send(everything(await world.running()), 'hello');
    await expect(deaf).rejects.toMatchObject({ message: expect.stringContaining('without --stdin pipe') });
    await settle();
  });
});

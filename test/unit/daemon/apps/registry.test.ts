import { beforeEach, describe, expect, it } from 'vitest';
import type { Group } from '../../../../src/daemon/apps/group.ts';
import { Registry } from '../../../../src/daemon/apps/registry.ts';
import { FakeWorld } from '../../../helpers/fake-host.ts';

let registry: Registry;

beforeEach(() => {
  const world = new FakeWorld();
  registry = new Registry();
  world.onRename = (group: Group, before) => registry.renamed(group, before);
  registry.add(world.group({ name: 'web', instances: 2 }));
  registry.add(world.group({ name: 'worker', namespace: 'jobs' }));
  registry.add(world.group({ name: 'mailer', namespace: 'jobs' }));
});

const selected = (...words: string[]) =>
  registry.select(words).map(({ group, slots }) => `${group.name}:${slots.join(',')}`);

describe('a target', () => {
  it.each([
    { what: 'a name', words: ['web'], selects: ['web:0,1'] },
    { what: 'a namespace', words: ['jobs'], selects: ['worker:0', 'mailer:0'] },
    { what: 'all', words: ['all'], selects: ['web:0,1', 'worker:0', 'mailer:0'] },
    { what: 'nothing', words: [], selects: ['web:0,1', 'worker:0', 'mailer:0'] },
    { what: 'several words', words: ['mailer', 'web'], selects: ['web:0,1', 'mailer:0'] },
    { what: 'the same app twice', words: ['web', 'web'], selects: ['web:0,1'] },
  ])('may be $what', ({ words, selects }) => {
    expect(selected(...words)).toEqual(selects);
  });

  it('may be the id of one instance', () => {
    const second = registry.find('web')!.processes[1]!;
    expect(registry.select([String(second.id)])[0]!.slots).toEqual([1]);
  });

  it.each(['nobody', '99', 'default-not'])('is named in the error if it selects nothing: %s', (word) => {
    expect(() => registry.select([word])).toThrow(
      expect.objectContaining({ code: 'NO_SUCH_APP', message: expect.stringContaining(word) }),
    );
  });

  it('gets a suggestion if it selects nothing', () => {
    for (const [word, meant] of [
      ['wbe', 'web'],
      ['job', 'jobs'],
    ] as const)
      expect(() => registry.select([word])).toThrow(`no app matches "${word}"; did you mean "${meant}"?`);
  });

  // On a long name this one takes for ever; the client evaluates it.
  it('is rejected without being evaluated if it is a regular expression', () => {
    expect(() => registry.select(['/(a+)+$/'])).toThrow(expect.objectContaining({ code: 'BAD_USAGE' }));
  });
});

describe('a renamed app', () => {
  it('is found by its new name, keeps its place in the list, and frees its old name', () => {
    const web = registry.find('web')!;
    web.setSettings({ name: 'other' });
    expect([registry.find('other'), registry.find('web')]).toEqual([web, undefined]);
    registry.add(new FakeWorld().group({ name: 'web' }));
    expect(registry.groups.map(({ name }) => name)).toEqual(['other', 'worker', 'mailer', 'web']);
  });

  it('is not found once it has been removed', () => {
    const web = registry.find('web')!;
    registry.remove(web);
    web.setSettings({ name: 'other' });
    expect(registry.find('other')).toBeUndefined();
  });
});

it('removing an app twice leaves another one that has taken its name', () => {
  const old = registry.find('web')!;
  registry.remove(old);
  const next = new FakeWorld().group({ name: 'web' });
  registry.add(next);
  registry.remove(old);
  expect(registry.find('web')).toBe(next);
});

describe('ids', () => {
  it('count up, and start at 0 again once no app is left', () => {
    expect([registry.nextId(), registry.nextId()]).toEqual([0, 1]);
    for (const group of registry.groups) registry.remove(group);
    expect(registry.nextId()).toBe(0);
  });
});

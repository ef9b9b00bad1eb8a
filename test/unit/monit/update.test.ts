// What keys and news do to the screen.
import { describe, expect, it } from 'vitest';
import { actions } from '../../../src/monit/actions.ts';
import { bindings, keyName } from '../../../src/monit/keys.ts';
import { instance, instances, numbered, Stage } from './models.ts';

describe('the selection', () => {
  it('begins with the first process', () => {
    expect(new Stage().lists(...instances(3)).model.selected).toBe(0);
  });

  it.each([
    [['j'], 1],
    [['down', 'down'], 2],
    [['down', 'down', 'down', 'down'], 2],
    [['down', 'k'], 0],
    [['up'], 0],
  ])('is moved by %j to %i', (keys, id) => {
    expect(new Stage().lists(...instances(3)).presses(...keys).model.selected).toBe(id);
  });

  it('stays with its process when the list changes', () => {
    const stage = new Stage().lists(...instances(3)).presses('j');
    expect(stage.lists(instance(1), instance(2)).model.selected).toBe(1);
  });

  it('moves to the process that takes its place when its process is gone', () => {
    const stage = new Stage().lists(...instances(3)).presses('j');
    expect(stage.lists(instance(0), instance(2)).model.selected).toBe(2);
    expect(stage.lists(instance(0)).model.selected).toBe(0);
    expect(stage.lists().model.selected).toBeUndefined();
    expect(stage.lists(instance(7)).model.selected).toBe(7);
  });
});

describe('a request', () => {
  it.each([
    ['r', 'restart', {}],
    ['l', 'reload', {}],
    ['s', 'stop', {}],
    ['s', 'stop', { status: 'waiting restart' }],
    ['s', 'start', { status: 'stopped' }],
    ['s', 'start', { status: 'errored' }],
  ] as const)('is confirmed before it is made: %s, %s, %j', (key, request, changes) => {
    const process = instance(3, changes);
    const stage = new Stage().lists(process).presses(key);
    expect(stage.screen.at(-1)).toBe(`${request} 3|web|3? y/n`);
    expect(stage.effects).toEqual([]);
    stage.presses('y');
    expect(stage.effects).toEqual([{ do: 'ask', request, process }]);
    expect(stage.model.mode.kind).toBe('watch');
  });

  it.each(['n', 'q', 'escape', 'r', 'return'])('is not made after %s', (key) => {
    const stage = new Stage().lists(instance(0)).presses('r', key);
    expect(stage.effects).toEqual([]);
    expect(stage.model.mode.kind).toBe('watch');
  });

  it('is dropped if the process to confirm is gone', () => {
    const stage = new Stage().lists(...instances(2)).presses('r');
    stage.lists(instance(1)).presses('y');
    expect(stage.effects).toEqual([]);
  });

  it('needs a process', () => {
    expect(new Stage().lists().presses('r', 'y')).toMatchObject({ effects: [], model: { mode: { kind: 'watch' } } });
  });

  it('has its result shown until the next key', () => {
    const stage = new Stage().lists(instance(0));
    stage.happens({ type: 'noticed', notice: { tone: 'bad', text: 'cannot reload' } });
    expect(stage.screen.at(-1)).toMatch(/^cannot reload {2}q quit/);
    expect(stage.presses('j').screen.at(-1)).toMatch(/^q quit/);
  });
});

describe('Ctrl-C and Ctrl-Z', () => {
  it.each([[[]], [['r']], [['/', 'x']], [['?']]])('work the same after %j', (keys) => {
    const stage = new Stage().lists(instance(0)).presses(...keys, 'C-z', 'C-c');
    expect(stage.effects).toEqual([{ do: 'suspend' }, { do: 'quit' }]);
  });
});

describe('logs', () => {
  const stage = (columns = 80) => new Stage({ columns, rows: 14 }).lists(...instances(2));

  it('are those of the selected process, of both streams in their order', () => {
    const both = stage();
    const entries = [both.entry(0, 'a'), both.entry(0, 'b', 'err'), both.entry(1, 'other'), both.entry(0, 'c')];
    both.happens({ type: 'logged', entries });
    expect(both.logs).toEqual(['a', 'b', 'c']);
    expect(both.presses('j').logs).toEqual(['other']);
    expect(both.presses('tab').logs).toEqual(['a', 'b', 'other', 'c']);
    expect(both.presses('return').logs).toEqual(['other']);
  });

  it('are followed or paused', () => {
    const one = stage().prints(0, 'a').presses(' ').prints(0, 'b');
    expect(one.logs).toEqual(['a']);
    expect(one.presses('c').logs).toEqual(['a', 'b']);
  });

  it('are scrolled by pages, and followed again at their end', () => {
    const one = stage().prints(0, ...numbered(20));
    const page = one.logs.length;
    expect(page).toBe(8);
    expect(one.presses('pageup').logs.at(-1)).toBe('line 12');
    expect(one.prints(0, 'news').logs.at(-1)).toBe('line 12');
    expect(one.presses('pageup', 'pageup', 'pageup').logs).toEqual(numbered(page));
    expect(one.presses('pagedown').logs.at(0)).toBe('line 9');
    expect(one.presses('home').logs.at(0)).toBe('line 1');
    expect(one.presses('end').logs.at(-1)).toBe('news');
  });

  it('leave out no line when they are wrapped and scrolled', () => {
    const long = numbered(9).map((text) => `${text} ${'x'.repeat(20)}`);
    const one = stage(20)
      .prints(0, ...long)
      .presses('w', 'home');
    const seen = new Set<string>();
    for (let press = 0; press < 9; press += 1) {
      for (const text of one.logs) seen.add(/line \d/.exec(text)?.[0] ?? '');
      one.presses('pagedown');
    }
    expect([...seen]).toEqual(expect.arrayContaining(numbered(9)));
  });

  it('are filtered by a text, regardless of case', () => {
    const one = stage().prints(0, 'GET /', 'POST /', 'get /b').presses('/', 'g', 'e', 'x', 'backspace', 't', 'return');
    expect(one.logs).toEqual(['GET /', 'get /b']);
    expect(one.presses('/', 'escape').logs).toHaveLength(3);
  });

  it('take keys as text while a filter is typed', () => {
    const one = stage().presses('/', 'q', 'r', 'up', ' ', '健');
    expect(one.screen.at(-1)).toContain('/qr 健');
    expect(one.effects).toEqual([]);
  });

  it('are dropped with their process, but kept in the view of all', () => {
    const one = stage().prints(0, 'a').prints(1, 'b').lists(instance(1));
    expect([...one.model.book.byFile.keys()]).toEqual(['/logs/web-1-out.log']);
    expect(one.presses('tab').logs).toEqual(['a', 'b']);
  });
});

describe('the daemon', () => {
  it('is shown as gone until it answers again', () => {
    const stage = new Stage().lists(instance(0)).happens({ type: 'lost', reason: 'the daemon has gone' });
    expect(stage.presses('j').screen.at(-1)).toMatch(/^the daemon has gone {2}q quit/);
    expect(stage.lists(instance(0)).screen.at(-1)).toMatch(/^q quit/);
  });
});

describe('the keys', () => {
  it('cover each action, and are bound once', () => {
    expect(bindings.map(({ action }) => action).sort()).toEqual(Object.keys(actions).sort());
    const keys = bindings.flatMap((binding) => binding.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('are all in the help, which any of them closes', () => {
    const stage = new Stage().presses('?');
    for (const { about } of bindings) expect(stage.screen.join('\n')).toContain(about);
    expect(stage.presses('q')).toMatchObject({ effects: [], model: { mode: { kind: 'watch' } } });
  });

  it.each([
    [{ name: 'up', sequence: '\x1b[A' }, 'up'],
    [{ name: 'c', ctrl: true, sequence: '\x03' }, 'C-c'],
    [{ name: 'g', sequence: 'G' }, 'G'],
    [{ name: 'enter', sequence: '\n' }, 'return'],
    [{ name: 'space', sequence: ' ' }, ' '],
    [{ sequence: '健' }, '健'],
    [{ sequence: '/' }, '/'],
    [{ name: 'undefined', sequence: '\x1b[200~' }, undefined],
    [{ name: 'q', meta: true, sequence: '\x1bq' }, undefined],
    [{ ctrl: true, sequence: '\x00' }, undefined],
    [{ name: 'f1', sequence: '\x1bOP' }, undefined],
  ])('%j is called %s', (key, name) => {
    expect(keyName(key)).toBe(name);
  });
});

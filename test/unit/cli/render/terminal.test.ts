import { describe, expect, it } from 'vitest';
import { createProgress, terminalOf } from '../../../../src/cli/render/terminal.ts';
import type { Clock } from '../../../../src/shared/clock.ts';

const terminal = { isTTY: true, columns: 120 };
const pipe = {};

it.each<[string, object, Record<string, string>, boolean]>([
  ['a terminal', terminal, {}, true],
  ['a pipe', pipe, {}, false],
  ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, false],
  ['a terminal with an empty NO_COLOR', terminal, { NO_COLOR: '' }, true],
  ['a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1' }, true],
  ['a pipe with an empty FORCE_COLOR', pipe, { FORCE_COLOR: '' }, true],
  ['a terminal with FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, false],
  ['a pipe with both', pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ['a dumb terminal', terminal, { TERM: 'dumb' }, false],
])('terminalOf decides on colours for %s', (_, stream, env, colour) => {
  expect(terminalOf(stream, env).colour).toBe(colour);
});

it.each<[string, Record<string, string>, true | undefined]>([
  ['a terminal', {}, undefined],
  ['one with an empty CI', { CI: '' }, undefined],
  ['one with CI=false', { CI: 'false' }, undefined],
  ['a dumb terminal', { TERM: 'dumb' }, true],
  ['the terminal of a CI service', { CI: 'true' }, true],
])('terminalOf decides on frames for %s', (_, env, isPlain) => {
  expect(terminalOf(terminal, env)).toMatchObject({ tty: true, ...(isPlain && { isPlain }) });
  expect(terminalOf(terminal, env).isPlain).toBe(isPlain);
});

it('terminalOf assumes 80 columns if the width is unknown', () => {
  expect(terminalOf(pipe, {})).toEqual({ tty: false, columns: 80, colour: false });
  expect(terminalOf(terminal, {})).toEqual({ tty: true, columns: 120, colour: true });
  expect(terminalOf({ isTTY: true, columns: 0 }, {}).columns).toBe(80);
});

function onTerminal(columns = 40) {
  const pending = new Set<() => void>();
  let screen = '';
  const clock: Clock = {
    now: () => 0,
    wall: () => 0,
    after(_, run) {
      pending.add(run);
      return () => pending.delete(run);
    },
  };
  const write = (text: string) => {
    screen = text.replace('\r\x1b[2K', '');
  };
  return {
    progress: createProgress({ write, columns }, clock),
    turn() {
      for (const run of [...pending]) if (pending.delete(run)) run();
    },
    screen: () => screen,
    pending,
  };
}

describe('the progress line', () => {
  it('shows what the command waits for, and moves', () => {
    const { progress, turn, screen } = onTerminal();
    progress.show('waiting for web');
    const first = screen();
    expect(first).toMatch(/^\S waiting for web$/);
    turn();
    expect(screen()).toMatch(/^\S waiting for web$/);
    expect(screen()).not.toBe(first);
  });

  it('has one timer, however often the text is shown', () => {
    const { progress, pending } = onTerminal();
    for (const text of ['a', 'a', 'b']) progress.show(text);
    expect(pending.size).toBe(1);
  });

  it('is erased at the end, and keeps no timer alive', () => {
    const { progress, pending, screen } = onTerminal();
    progress.show('waiting');
    progress.clear();
    expect(screen()).toBe('');
    expect(pending.size).toBe(0);
  });

  it('fits the terminal and escapes control characters', () => {
    const { progress, screen } = onTerminal(20);
    progress.show(`web\x07 ${'x'.repeat(50)}`);
    expect(screen()).toMatch(/^\S web\\x07 x+…$/);
    expect(screen().length).toBeLessThan(20);
  });
});

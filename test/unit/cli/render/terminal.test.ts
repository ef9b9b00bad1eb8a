import { expect, it } from 'vitest';
import { terminalOf } from '../../../../src/cli/render/terminal.ts';

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
])('%s', (_, stream, env, colour) => {
  expect(terminalOf(stream, env).colour).toBe(colour);
});

it('has 80 columns where nobody knows better', () => {
  expect(terminalOf(pipe, {})).toEqual({ tty: false, columns: 80, colour: false });
  expect(terminalOf(terminal, {})).toEqual({ tty: true, columns: 120, colour: true });
  expect(terminalOf({ isTTY: true, columns: 0 }, {}).columns).toBe(80);
});

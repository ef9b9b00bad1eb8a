// Text of apps and of others, as it reaches the terminal.
import { describe, expect, it } from 'vitest';
import { coloursOnly, toJson } from '../../../../src/cli/render/text.ts';

describe('JSON', () => {
  it('contains no terminal control characters and parses to the same value', () => {
    const value = { '\x1b[2J': '\u009b2J\x7fé\u202e', list: [1, null] };
    for (const text of [toJson(value), toJson(value, 2)]) {
      expect(text).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
      expect(JSON.parse(text)).toEqual(value);
    }
    expect(toJson({ a: 'é' })).toBe('{"a":"é"}');
  });
});

describe('a line of an app for a terminal', () => {
  it.each([
    ['plain text with\ttabs, é and 👩‍💻', undefined],
    ['\x1b[1;38;5;196mred\x1b[0m', '\x1b[1;38;5;196mred\x1b[0m\x1b[0m'],
    ['\x1b[38:2::255:0:0mred', '\x1b[38:2::255:0:0mred\x1b[0m'],
    ['\x1b[8mthe next line is hidden', '\x1b[8mthe next line is hidden\x1b[0m'],
    ['a line of Windows\r', 'a line of Windows'],
  ])('keeps its text and colours: %j', (line, shown = line) => expect(coloursOnly(line)).toBe(shown));

  it.each([
    ['a title', '\x1b]0;title\x07', '\\x1b]0;title\\x07'],
    ['a title with C1 characters', '\x9d0;title\x9c', '\\x9d0;title\\x9c'],
    ['the clipboard', '\x1b]52;c;aGVsbG8=\x1b\\', '\\x1b]52;c;aGVsbG8=\\x1b\\'],
    ['a cleared screen', '\x1b[2J\x1b[H', '\\x1b[2J\\x1b[H'],
    ['a reset', '\x1bc', '\\x1bc'],
    ['a question that the terminal answers', '\x1b[6n', '\\x1b[6n'],
    ['a private sequence that ends like a colour', '\x1b[>4;2m', '\\x1b[>4;2m'],
    ['a colour with a control character in it', '\x1b[3\x9b2Jm', '\\x1b[3\\x9b2Jm'],
    ['a colour by a C1 character', '\x9b31mred', '\\x9b31mred'],
    ['a prefix that is overwritten', 'real\rforged', 'real\\x0dforged'],
    ['backspaces', 'real\b\b\b\bfake', 'real\\x08\\x08\\x08\\x08fake'],
    ['the bell, and shift out', '\x07\x0e', '\\x07\\x0e'],
    ['a change of direction', 'safe\u202etxt.exe\u2066!', 'safe\\u202etxt.exe\\u2066!'],
  ])('escapes %s', (_what, line, shown) => expect(coloursOnly(line)).toBe(shown));
});

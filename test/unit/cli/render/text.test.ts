// Text of apps and of others, as it reaches the terminal.
import { describe, expect, it } from 'vitest';
import { toJson } from '../../../../src/cli/render/text.ts';

describe('JSON', () => {
  it('contains no character that controls a terminal, and means the same', () => {
    const value = { '\x1b[2J': '\u009b2J\x7fé\u202e', list: [1, null] };
    for (const text of [toJson(value), toJson(value, 2)]) {
      expect(text).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f]/);
      expect(JSON.parse(text)).toEqual(value);
    }
    expect(toJson({ a: 'é' })).toBe('{"a":"é"}');
  });
});

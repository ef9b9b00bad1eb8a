import { createHmac as known, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createHmac, isEqualText } from '../../../../src/shared/crypto/hmac.ts';

describe('an HMAC', () => {
  it('is that of Node, for keys and texts of any length, with any characters', () => {
    for (let length = 0; length < 400; length += 1) {
      const key = randomBytes(1 + (length % 64));
      const text = randomBytes(length).toString(length % 2 ? 'latin1' : 'hex');
      expect(createHmac(key)(text)).toBe(known('sha256', key).update(text).digest('hex'));
    }
  });

  it('refuses a key that does not fit into one block', () => {
    expect(() => createHmac(Buffer.alloc(65))).toThrow('65 bytes');
  });
});

describe('two texts', () => {
  it.each([
    ['', '', true],
    ['ab', 'ab', true],
    ['ab', 'ac', false],
    ['ab', 'abc', false],
  ])('%j and %j are compared', (one, other, isSame) => {
    expect(isEqualText(one, other)).toBe(isSame);
  });
});

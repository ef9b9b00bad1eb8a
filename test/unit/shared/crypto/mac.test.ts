import { describe, expect, it } from 'vitest';
import { createMac, isEqualText } from '../../../../src/shared/crypto/mac.ts';

const key = Uint8Array.from({ length: 16 }, (_, index) => index);
/** Of `openssl mac -macopt hexkey:000102030405060708090a0b0c0d0e0f -macopt size:16 SIPHASH`. */
const known: [text: string, code: string][] = [
  ['', 'a3817f04ba25a8e66df67214c7550293'],
  ['a', '0ea4f2fb02ad21d92d5fc91684f26426'],
  ['1234567', 'edd2ca8109ca8bf74376f435c80826e0'],
  ['12345678', '86da31e21d1241e0e933a215f9e2faae'],
  ['fe01-1a2b3c:17:holder:0:3:12:1000:web', '940e159819123dc3c1af1e0f86fb6f46'],
  ['x'.repeat(255), '652f14e415af5b941d3a0986432a2481'],
  ['x'.repeat(256), '0a3fc90a3aca94e3cc7c6695c7ff76e8'],
  ['Grüße, 世界 🌍', '1e1eacf7315086c66803c33bdc181141'],
];

describe('an authentication code', () => {
  it.each(known)('of %j is that of SipHash-2-4 with 128 bits', (text, code) => {
    expect(createMac(key)(text)).toBe(code);
  });

  it('changes with every byte of the key and of the text', () => {
    const text = 'one:two:three:four:five';
    const changed = [...text].map((_, at) => createMac(key)(`${text.slice(0, at)}-${text.slice(at + 1)}`));
    const others = [...key].map((byte, at) => createMac(key.with(at, byte ^ 1))(text));
    const codes = [createMac(key)(text), ...changed, ...others];
    expect(new Set(codes).size).toBe(1 + text.length + key.length);
  });

  it('keeps the key that it was made with', () => {
    const own = Uint8Array.from(key);
    const mac = createMac(own);
    own.fill(0);
    expect(mac('')).toBe(createMac(key)(''));
  });

  it('refuses a key of another size', () => {
    expect(() => createMac(new Uint8Array(32))).toThrow('32');
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

import { describe, expect, it } from 'vitest';
import { createMac, isEqualText } from '../../../../src/shared/crypto/mac.ts';

const key = Uint8Array.from({ length: 16 }, (_, index) => index);
/** Of `openssl mac -macopt hexkey:000102030405060708090a0b0c0d0e0f -macopt size:16 SIPHASH`, for the text in UTF-16LE. */
const known: [text: string, code: string][] = [
  ['', 'a3817f04ba25a8e66df67214c7550293'],
  ['a', '3835477681c2262f25e57e1218fb0feb'],
  ['1234567', 'a03b3fea4d307be566374cd32c634955'],
  ['12345678', 'f2635c9153f0373444197d9a7e410439'],
  ['fe01-1a2b3c:17:holder:0:3:12:1000:web', '47432d9662ce0129ba23a461103f9abb'],
  ['x'.repeat(255), '0723e7b47a74c0681073323bdd75a487'],
  ['x'.repeat(256), '2e2714ea5317fa2d2cce378865af0d64'],
  ['Grüße, 世界 🌍', 'baadae8d1f970bb62307a56299a03714'],
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

  it('takes a lone surrogate for what it becomes in an environment', () => {
    expect(createMac(key)('a\ud800b')).toBe(createMac(key)(Buffer.from('a\ud800b').toString()));
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

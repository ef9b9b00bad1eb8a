import { describe, expect, it } from 'vitest';
import { AddressBook } from '../../../src/daemon/sockets/address-book.ts';
import { type Address, overlaps, renderAddress, renderOwn } from '../../../src/os/address.ts';

const tcp = (ip: string, port = 3000, ipv6Only = false): Address => ({ transport: 'tcp', ip, port, ipv6Only });
const udp = (ip: string, port = 3000): Address => ({ transport: 'udp', ip, port, ipv6Only: false });
const unix = (path: string): Address => ({ transport: 'unix', path });

describe('two addresses', () => {
  it.each([
    [tcp('127.0.0.1'), tcp('127.0.0.1')],
    [tcp('::'), tcp('127.0.0.1')],
    [tcp('::'), tcp('0.0.0.0')],
    [tcp('::'), tcp('::1')],
    [tcp('0.0.0.0'), tcp('10.0.0.1')],
    [tcp('::ffff:10.0.0.1'), tcp('10.0.0.1')],
    [tcp('::', 3000, true), tcp('::1')],
    [udp('0.0.0.0'), udp('127.0.0.1')],
    [unix('/run/a.sock'), unix('/run/a.sock')],
  ])('overlap: %j and %j', (a, b) => {
    expect([overlaps(a, b), overlaps(b, a)]).toEqual([true, true]);
  });

  it.each([
    [tcp('127.0.0.1'), tcp('127.0.0.2')],
    [tcp('127.0.0.1'), tcp('127.0.0.1', 3001)],
    [tcp('0.0.0.0'), tcp('::1')],
    [tcp('::', 3000, true), tcp('0.0.0.0')],
    [tcp('::', 3000, true), tcp('::ffff:10.0.0.1')],
    [tcp('::'), udp('::')],
    [tcp('::'), unix('/run/a.sock')],
    [unix('/run/a.sock'), unix('/run/b.sock')],
  ])('do not overlap: %j and %j', (a, b) => {
    expect([overlaps(a, b), overlaps(b, a)]).toEqual([false, false]);
  });
});

describe('an address', () => {
  it.each([
    [tcp('::'), '3000'],
    [tcp('0.0.0.0'), '3000'],
    [tcp('127.0.0.1'), '127.0.0.1:3000'],
    [tcp('::1'), '[::1]:3000'],
    [udp('::', 5353), 'udp:5353'],
    [unix('/run/x.sock'), '/run/x.sock'],
    [unix('\0abstract'), '@abstract'],
  ])('%j is shown as %s', (address, text) => {
    expect(renderAddress(address)).toBe(text);
  });

  it.each([
    [':::3000', '3000'],
    ['::1:3000', '[::1]:3000'],
    ['127.0.0.1:3000', '127.0.0.1:3000'],
    ['/run/x.sock', '/run/x.sock'],
    ['/run/odd:80', '/run/odd:80'],
  ])('is shown for a socket that the app made: %s as %s', (text, shown) => {
    expect(renderOwn(text)).toBe(shown);
  });
});

describe('the address book', () => {
  it('refuses an overlapping address, with the name of its holder, until it is freed', () => {
    const book = new AddressBook();
    const free = book.claim(tcp('::'), 'web');
    expect(() => book.claim(tcp('127.0.0.1'), 'api')).toThrow('address already in use by the app "web"');
    free();
    expect(() => book.claim(tcp('127.0.0.1'), 'api')).not.toThrow();
  });
});

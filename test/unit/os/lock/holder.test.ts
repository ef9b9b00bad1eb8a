// Who holds a lock, as a claim says it, and where.
import { describe, expect, it } from 'vitest';
import { holderPlaceOf, type LockHolder, parseHolder, renderHolder } from '../../../../src/os/lock/holder.ts';

const holder: LockHolder = {
  socket: 'ab12.sock',
  machine: '0123abcd',
  boot: '89abcdef',
  guard: { pid: 4_194_303, startTime: 4_294_967_295 },
  host: 'a-host-with-a-name-longer-than-most.example.com',
};

describe('the text of a claim', () => {
  it('has fewer than 60 bytes, whatever the host is called', () => {
    const text = renderHolder(holder);
    expect(text.length).toBeLessThan(60);
    expect(parseHolder(text)).toEqual({ ...holder, host: 'a-host-with-' });
  });

  it('may omit machine, boot, guard and host', () => {
    const bare: LockHolder = { socket: 'ab12.sock', machine: '', boot: '', host: '' };
    expect(parseHolder(renderHolder(bare))).toEqual(bare);
  });

  it.each(['released', '', '../../etc:::::', 'ab12.sock:x:y:::', 'a/b.sock:0123abcd:89abcdef:::', 'ab12.sock::::'])(
    'names no holder: "%s"',
    (text) => expect(parseHolder(text)).toBeUndefined(),
  );
});

describe('the place of a holder', () => {
  const here = { machine: '0123abcd', boot: '89abcdef' };

  it.each([
    ['here', 'of this boot', holder, here],
    ['before', 'of an earlier boot', { ...holder, boot: '00000000' }, here],
    ['elsewhere', 'of another machine', { ...holder, machine: '00000000' }, here],
    ['here', 'of this boot, in a container without an ID', { ...holder, machine: '' }, here],
    ['before', 'of another boot, in a container without an ID', { ...holder, machine: '', boot: '00000000' }, here],
    ['here', 'of a system without these IDs', { ...holder, machine: '', boot: '' }, { machine: '', boot: '' }],
  ] as const)('is %s: %s', (place, _title, who, now) => {
    expect(holderPlaceOf(who, now)).toBe(place);
  });
});

import { describe, expect, it } from 'vitest';
import { type Mark, markIn, readMark, renderMark, sequenceIn } from '../../../../src/daemon/process/mark.ts';
import { createMac } from '../../../../src/shared/crypto/mac.ts';

const mac = createMac(Buffer.from('key of this home'));
const mark: Mark = { home: 'a-1', sequence: 7, isTrial: true, id: 3, slot: 2, restarts: 5, uid: 42, app: 'my: app' };
const text = renderMark(mark, mac);

describe('a mark', () => {
  it('is read as it was written, whatever the name of the app', () => {
    expect(readMark(text, mac)).toEqual(mark);
  });

  it.each(['', 'x', text.replace('trial', 'other'), text.replace(':7:', ':seven:')])('is not %j', (other) => {
    expect(readMark(other, mac)).toBeUndefined();
  });

  it.each(Object.keys(mark) as (keyof Mark)[])('is not believed with another %s', (key) => {
    const other = { ...mark, [key]: typeof mark[key] === 'boolean' ? !mark[key] : `${mark[key]}1` };
    const [code] = text.split(':');
    const forged = renderMark(other, () => code!);
    expect(forged).not.toBe(text);
    expect(readMark(forged, mac)).toBeUndefined();
  });

  it('is not believed with the key of another home', () => {
    expect(readMark(text, createMac(Buffer.from('key of that home')))).toBeUndefined();
  });

  it('gives its number without the key, also where an older daemon has written it', () => {
    expect(sequenceIn(text)).toBe(7);
    expect(sequenceIn('5f0c-1-2:12:holder:0:1:0:web')).toBe(12);
    expect(sequenceIn('nothing')).toBe(-1);
  });

  it.each([
    ['A=1\0NSV_MARK=x:y\0', { mark: 'x:y' }],
    ['A=1\0B=\0', 'none'],
    ['', 'unreadable'],
    [undefined, 'unreadable'],
    ['redis-server *:6379\0\0\0', 'unreadable'],
    ['\0\0\0', 'unreadable'],
  ])('is looked for in an environment: %j', (environment, says) => {
    expect(markIn(environment)).toEqual(says);
  });
});

import { describe, expect, it } from 'vitest';
import { type Mark, markIn, readMark, renderMark } from '../../../../src/daemon/process/mark.ts';

const token = '0123456789abcdef'.repeat(2);
const mark: Mark = {
  ...{ token, home: 'a-1', sequence: 7, isTrial: true, id: 3, slot: 2 },
  ...{ restarts: 5, uid: 42, app: 'my: app' },
};
const text = renderMark(mark);

describe('a mark', () => {
  it('is read as it was written, whatever the name of the app', () => {
    expect(readMark(text)).toEqual(mark);
  });

  it.each(['', 'x', text.slice(1), text.replace('trial', 'other'), text.replace(':7:', ':seven:')])(
    'is not parsed from %j',
    (other) => {
      expect(readMark(other)).toBeUndefined();
    },
  );

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

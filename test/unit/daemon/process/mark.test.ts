import { describe, expect, it } from 'vitest';
import { markIn, parseMark, renderMark } from '../../../../src/daemon/process/mark.ts';

const mark = { home: 'a-1', sequence: 7, isTrial: true, id: 3, slot: 2, restarts: 5, app: 'my: app' };
const text = renderMark(mark);

describe('a mark', () => {
  it('is read as it was written, whatever the name of the app', () => {
    expect(parseMark(text)).toEqual(mark);
  });

  it.each(['', 'x', text.replace('trial', 'other'), text.replace(':7:', ':seven:')])('is not %j', (other) => {
    expect(parseMark(other)).toBeUndefined();
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

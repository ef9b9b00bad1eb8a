import { describe, expect, it } from 'vitest';
import { explainsMove } from '../../../../src/daemon/slot/moved-port.ts';

const settings = (env: Record<string, string> = {}, ...args: string[]) => ({ env, args });

describe('new settings', () => {
  it.each([
    ['a variable', settings({ PORT: '3000' }), settings({ PORT: '3001' })],
    ['a variable that is gone', settings({ PORT: '3000' }), settings()],
    ['an argument', settings({}, '--port=3000'), settings({}, '--port=3001')],
    ['a URL', settings({ URL: 'http://localhost:3000/' }), settings({ URL: 'http://localhost:3001/' })],
  ])('explain a missing port by %s', (_where, before, after) => {
    expect(explainsMove(before, after, ['3000'])).toBe(true);
    expect(explainsMove(before, after, ['127.0.0.1:3000'])).toBe(true);
  });

  it.each([
    ['they name it still', settings({ PORT: '3000' }), settings({ PORT: '3000', METRICS: '9090' })],
    ['they name it elsewhere', settings({ PORT: '3000' }), settings({ PORT: '3001', OLD: '3000' })],
    ['the old ones did not name it', settings(), settings({ PORT: '3001' })],
    ['another number ends with it', settings({ PORT: '13000' }), settings({ PORT: '3001' })],
  ])('do not explain a missing port if %s', (_why, before, after) => {
    expect(explainsMove(before, after, ['3000'])).toBe(false);
  });

  it.each([
    ['a variable', settings({ SOCKET: '/run/web.sock' }), settings({ SOCKET: '/run/next.sock' }), true],
    ['an argument', settings({}, '--on=/run/web.sock'), settings({}, '--on=/run/next.sock'), true],
    ['nothing', settings({ PORT: '3000' }), settings({ PORT: '3001' }), false],
    ['a variable that has stayed', settings({ SOCKET: '/run/web.sock' }), settings({ SOCKET: '/run/web.sock' }), false],
  ])('explain a missing Unix socket only by its path: %s', (_where, before, after, isExplained) => {
    expect(explainsMove(before, after, ['/run/web.sock'])).toBe(isExplained);
  });

  it('explain missing ports only if they explain all of them', () => {
    const [before, after] = [settings({ PORT: '3000' }), settings({ PORT: '3001' })];
    expect(explainsMove(before, after, ['3000', '9090'])).toBe(false);
  });

  it('explain a missing port by another "listenEach"', () => {
    const settings = { env: {}, args: [] };
    expect(explainsMove({ ...settings, listenEach: 3001 }, settings, ['3001'])).toBe(true);
    expect(explainsMove({ ...settings, listenEach: 3001 }, { ...settings, listenEach: 3001 }, ['3001'])).toBe(false);
  });
});

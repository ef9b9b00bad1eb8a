import { describe, expect, it } from 'vitest';
import { parseAppSpec } from '../../../../src/config/app-spec.ts';
import { readCarried, renderCarried } from '../../../../src/daemon/process/carried.ts';
import { createMac } from '../../../../src/shared/crypto/mac.ts';

const mac = createMac(Buffer.from('key of this home'));
const app = (settings: object = {}) => parseAppSpec({ name: 'web', script: '/app.js', cwd: '/', ...settings });
const spec = app({ args: ['a: b'], killTimeout: 7_000, env: { PATH: '/bin', PASSWORD: 'x' } });
const text = renderCarried(7, spec, mac);

describe('the settings that a process carries', () => {
  it('are read as they were', () => {
    expect(readCarried(text, 7, mac)).toEqual({ spec });
  });

  it.each([
    ['for another process', text, 8, mac],
    ['with the key of another home', text, 7, createMac(Buffer.from('key of that home'))],
    ['if somebody has changed them', text.replace('/app.js', '/bad.js'), 7, mac],
    ['if they are nothing of the kind', 'x', 7, mac],
  ])('are not believed %s', (_title, carried, sequence, key) => {
    expect(readCarried(carried, sequence, key)).toBeUndefined();
  });

  it('are left out if they are too long for a variable', () => {
    const long = renderCarried(7, app({ env: { LONG: 'x'.repeat(200_000) } }), mac);
    expect(long.length).toBeLessThan(100);
    expect(readCarried(long, 7, mac)).toEqual({});
  });

  it('have nothing of the environment that the process itself does not get', () => {
    const filtered = app({ env: { PATH: '/bin', SECRET_A: 'x' }, filterEnv: ['SECRET_'] });
    const theirs = app({ uid: 'nobody', env: { PATH: '/bin', PASSWORD: 'x' } });
    for (const one of [filtered, theirs]) {
      const { env } = readCarried(renderCarried(7, one, mac), 7, mac)?.spec ?? {};
      expect(env?.PATH).toBe('/bin');
      expect(Object.values(env!)).not.toContain('x');
    }
  });
});

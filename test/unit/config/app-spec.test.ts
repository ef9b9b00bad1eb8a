import { describe, expect, it } from 'vitest';
import { optionName, parseAppSpec, parseProgramSpec, withoutDefaults } from '../../../src/config/app-spec.ts';
import { fields } from '../../../src/config/options/fields.ts';

const least = { name: 'web', script: '/srv/app.js', cwd: '/srv' };

describe('the settings of an app', () => {
  it('have a default for everything that is left out', () => {
    const spec = parseAppSpec(least);
    expect(Object.keys(spec)).toEqual(Object.keys(fields));
    expect(spec).toMatchObject({
      ...least,
      instances: 1,
      killTimeout: 5_000,
      stopSignal: 'auto',
      autorestart: true,
    });
    expect(spec.maxMemoryRestart).toBeUndefined();
  });

  it('survive JSON unchanged, as the socket needs', () => {
    const spec = parseAppSpec({
      ...least,
      listen: ['[::1]:80', '/run/web.sock'],
      maxRestarts: 'unlimited',
      stopExitCodes: '0,3',
    });
    expect(parseAppSpec(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  });

  it('are rejected with all errors at once, each with option and value', () => {
    const wrong = { ...least, killTimeout: 'soon', instances: 0, schedule: 'fair', colour: 'red' };
    expect(() => parseAppSpec(wrong)).toThrow(
      expect.objectContaining({
        code: 'BAD_OPTION',
        message: expect.stringMatching(
          /"colour" is not.*--instances .*0.*--kill-timeout .*"soon".*--schedule .*"fair"/,
        ),
      }),
    );
  });

  it.each([null, undefined, 'web', 3, [], {}])('are rejected without a name: %j', (input) => {
    expect(() => parseAppSpec(input)).toThrow(expect.objectContaining({ message: expect.stringContaining('--name') }));
  });

  it.each(['web', 'a.b-c_d@e+f', 'two words', 'x1', '@acme/api', 'api:staging'])('accept the name %j', (name) => {
    expect(parseAppSpec({ ...least, name }).name).toBe(name);
  });

  it.each(['', 'all', '42', '../etc', '.hidden', '-n', '/a/', 'a%2Fb', 'a\nb', 'a|b', 'x'.repeat(129)])(
    'reject the name %j',
    (name) => {
      expect(() => parseAppSpec({ ...least, name })).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
    },
  );
});

describe('the settings without defaults', () => {
  it('contain only what differs, and parse to the same settings', () => {
    const spec = parseAppSpec({ ...least, instances: 2, watch: ['lib'], env: { A: '1' } });
    expect(withoutDefaults(spec)).toEqual({ ...least, instances: 2, watch: ['lib'], env: { A: '1' } });
    expect(parseAppSpec(withoutDefaults(spec))).toEqual(spec);
  });
});

describe('the program of an app', () => {
  it('has a value for every field, so that it replaces all of them', () => {
    expect(parseProgramSpec({ script: '/srv/app', cwd: '/srv' })).toEqual({
      script: '/srv/app',
      cwd: '/srv',
      interpreter: undefined,
      interpreterArgs: [],
      node: false,
    });
  });

  it('is rejected if a field is missing or belongs elsewhere', () => {
    expect(() => parseProgramSpec({ script: '/srv/app', env: {} })).toThrow(
      /"env" is not a known setting; --cwd must be/,
    );
  });
});

it('an option is named by its long flag, or by its key if it has none', () => {
  expect(optionName('killTimeout')).toBe('--kill-timeout');
  expect(optionName('outFile')).toBe('--output');
  expect(optionName('script')).toBe('"script"');
});

import { describe, expect, it } from 'vitest';
import { optionName, parseAppSpec, parseProgramSpec, withoutDefaults } from '../../../src/config/app-spec.ts';
import { fields } from '../../../src/config/options/fields.ts';

const least = { name: 'web', script: '/srv/app.js', cwd: '/srv' };

describe('the settings of an app', () => {
  it('are complete: what is not said has its default', () => {
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

  it('come through JSON, as they travel over the socket, unchanged', () => {
    const spec = parseAppSpec({
      ...least,
      listen: ['[::1]:80', '/run/web.sock'],
      maxRestarts: 'unlimited',
      stopExitCodes: '0,3',
    });
    expect(parseAppSpec(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  });

  it('are refused with all mistakes at once, each with option and value', () => {
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

  it.each([null, undefined, 'web', 3, [], {}])('%j is refused for what is missing', (input) => {
    expect(() => parseAppSpec(input)).toThrow(expect.objectContaining({ message: expect.stringContaining('--name') }));
  });

  it.each(['web', 'a.b-c_d@e+f', 'two words', 'x1', '@acme/api', 'api:staging'])('%j is a name', (name) => {
    expect(parseAppSpec({ ...least, name }).name).toBe(name);
  });

  it.each(['', 'all', '42', '../etc', '.hidden', '-n', '/a/', 'a%2Fb', 'a\nb', 'a|b', 'x'.repeat(129)])(
    '%j is no name',
    (name) => {
      expect(() => parseAppSpec({ ...least, name })).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
    },
  );
});

describe('what is told of the settings', () => {
  it('is only what is not as by default, and read again the same', () => {
    const spec = parseAppSpec({ ...least, instances: 2, watch: ['lib'], env: { A: '1' } });
    expect(withoutDefaults(spec)).toEqual({ ...least, instances: 2, watch: ['lib'], env: { A: '1' } });
    expect(parseAppSpec(withoutDefaults(spec))).toEqual(spec);
  });
});

describe('what an app runs, apart from its other settings', () => {
  it('is complete, and takes the place of what was there', () => {
    expect(parseProgramSpec({ script: '/srv/app', cwd: '/srv' })).toEqual({
      script: '/srv/app',
      cwd: '/srv',
      interpreter: undefined,
      interpreterArgs: [],
      node: false,
    });
  });

  it('is refused when something is missing, or belongs elsewhere', () => {
    expect(() => parseProgramSpec({ script: '/srv/app', env: {} })).toThrow(
      /"env" is not a known setting; --cwd must be/,
    );
  });
});

it('an option is named by its long flag, else by its key', () => {
  expect(optionName('killTimeout')).toBe('--kill-timeout');
  expect(optionName('outFile')).toBe('--output');
  expect(optionName('script')).toBe('"script"');
});

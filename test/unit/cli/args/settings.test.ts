import { describe, expect, it } from 'vitest';
import { flagSettingsOf, settingOptions } from '../../../../src/cli/args/settings.ts';
import type { Input } from '../../../../src/cli/command.ts';

describe('a flag of nsv start', () => {
  it.each<[Input['options'], object]>([
    [{ name: 'web' }, { name: 'web' }],
    [{ instances: '4' }, { instances: 4 }],
    [{ instances: 'max' }, { instances: 'max' }],
    [{ instances: '0' }, { instances: 'max' }],
    [{ instances: '-1' }, { instances: '-1' }],
    [{ killTimeout: '1m' }, { killTimeout: 60_000 }],
    [{ stopSignal: 'int' }, { stopSignal: 'SIGINT' }],
    [{ autorestart: false }, { autorestart: false }],
    [{ waitReady: true }, { waitReady: true }],
    [{ maxRestarts: 'unlimited' }, { maxRestarts: Number.MAX_SAFE_INTEGER }],
    [{ stopExitCodes: '0, 3' }, { stopExitCodes: [0, 3] }],
    [{ maxMemoryRestart: '300M' }, { maxMemoryRestart: 300 * 1024 * 1024 }],
    [{ maxMemoryRestart: '50%' }, { maxMemoryRestart: '50%' }],
    [
      { listen: ['8080', '[::1]:81', '/run/web.sock'] },
      { listen: [{ port: 8080 }, { host: '::1', port: 81 }, { path: '/run/web.sock' }] },
    ],
    [
      { output: 'a', error: 'b' },
      { outFile: 'a', errorFile: 'b' },
    ],
    [{ log: 'both' }, { logFile: 'both' }],
    [{ disableLogs: true }, { outFile: '/dev/null', errorFile: '/dev/null', logFile: '/dev/null' }],
    [{ mergeLogs: true }, { mergeLogs: true }],
    [{ watch: true }, { watch: ['.'] }],
    [{ watch: 'src,config' }, { watch: ['src', 'config'] }],
    [{ filterEnv: 'AWS_,npm_' }, { filterEnv: ['AWS_', 'npm_'] }],
    [
      { interpreterArgs: '--max-old-space-size=64 --import "./my loader.mjs"' },
      { interpreterArgs: ['--max-old-space-size=64', '--import', './my loader.mjs'] },
    ],
    [{ nodeArgs: '--inspect' }, { interpreterArgs: ['--inspect'] }],
    [{ nodeArgs: '' }, { interpreterArgs: [] }],
    [{}, {}],
  ])('%j becomes %j', (options, settings) => {
    expect(flagSettingsOf(options)).toEqual(settings);
  });

  it('may be an alias that the help does not show', () => {
    expect(flagSettingsOf({ cron: '@hourly' })).toEqual({ cronRestart: '@hourly' });
    expect(settingOptions).toContainEqual(['--cron <pattern>', expect.any(String), 'alias']);
  });

  it('is reported with its value if it is invalid, together with all other invalid flags', () => {
    const wrong = { killTimeout: 'soon', instances: 'many', schedule: 'fair', listen: ['99999'], nodeArgs: '"open' };
    expect(() => flagSettingsOf(wrong)).toThrow(
      expect.objectContaining({
        code: 'BAD_OPTION',
        message: expect.stringMatching(
          /--instances .*"many".*--kill-timeout .*"soon".*--listen .*"99999".*--schedule .*"fair".*--node-args has an unclosed quote/,
        ),
      }),
    );
  });

  it('has a line of help, with the default where one applies', () => {
    const about = Object.fromEntries(settingOptions);
    expect(about['--kill-timeout <duration>']).toContain('(default: 5s)');
    expect(about['-i, --instances <n>']).toContain('(default: 1)');
    expect(about['--no-autorestart']).not.toContain('default');
    expect(Object.values(about)).not.toContain('');
  });
});

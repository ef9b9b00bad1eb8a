import { describe, expect, it } from 'vitest';
import { entries } from '../../../src/cli/entries.ts';
import { version } from '../../../src/shared/version.ts';
import { run } from './fake-context.ts';

describe('help and version', () => {
  it.each([['--version'], ['-v'], ['-V'], ['pm2', '--version']])(
    'nsv %s prints the version and asks no daemon',
    async (...words) => {
      expect(await run(words)).toMatchObject({ stdout: `${version}\n`, launches: [] });
    },
  );

  it('nsv without words, --help and help print the same overview', async () => {
    const { stdout } = await run([]);
    expect(stdout).toContain('Usage: nsv <command> [options]');
    expect((await run(['--help'])).stdout).toBe(stdout);
    expect((await run(['help'])).stdout).toBe(stdout);
  });

  it('the overview lists every command, except hidden ones and the actions of another command', async () => {
    const { stdout } = await run(['--help']);
    for (const { names, hidden, minor, group } of entries) {
      const isAction = !hidden && group === undefined;
      if (isAction) expect((await run([names[0].split(' ')[0]!, '--help'])).stdout).toContain(`"nsv ${names[0]}"`);
      if (isAction) continue;
      const shown = minor ? `^  also: .*\\b${names[0]}\\b` : `^  ${names[0]} `;
      if (hidden) expect(stdout).not.toMatch(new RegExp(`^  (also: .*\\b)?${names[0]}\\b(?!-)`, 'm'));
      else expect(stdout).toMatch(new RegExp(shown, 'm'));
    }
  });

  it('the overview has one line for a command, and fits one screen', async () => {
    const lines = (await run(['--help'])).stdout.split('\n');
    expect(lines.filter((line) => line.length > 80 || /^ {4}/.test(line))).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(45);
  });

  it('the help of start fits two screens: examples, common options, then the names of the others', async () => {
    const { stdout } = await run(['start', '--help']);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(48);
    const [, common = ''] = /Common options:\n(.*?)\n\n/s.exec(stdout) ?? [];
    expect([...common.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name)).toHaveLength(11);
    const places = ['Examples:', 'Common options:', 'More options:', '--help-all'].map((part) => stdout.indexOf(part));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(0);
    const whole = (await run(['start', '--help-all'])).stdout;
    const named = (text: string) => new Set([...text.matchAll(/ (--[a-z][\w-]+)/g)].map(([, flag]) => flag));
    for (const flag of named(stdout)) expect(['--help-all', ...named(whole)]).toContain(flag);
    expect(whole).toMatch(/--kill-timeout <duration> +time between the stop signal/);
  });

  it('--help-all after -- is passed to the program', async () => {
    const { calls } = await run(['start', 'true', '--', '--help-all'], { daemon: { launch: async () => [] } });
    expect(calls.at(-1)).toMatchObject(['launch', { app: { args: ['--help-all'] } }]);
  });

  it.each(entries.flatMap(({ names, raw }) => (raw ? [] : names[0])))(
    'nsv %s --help has usage and examples',
    async (name) => {
      const { stdout, launches } = await run([name, '--help']);
      expect(stdout).toContain(`Usage: nsv ${name}`);
      expect(stdout).toContain(`Examples:\n  `);
      expect(launches).toEqual([]);
      expect((await run(['help', name])).stdout).toBe(stdout);
    },
  );

  it('a long help puts the options in groups, and leaves out aliases', async () => {
    for (const name of ['start', 'run', 'serve']) {
      const { stdout } = await run([name, '--help-all']);
      expect(stdout).toContain('--cron-restart ');
      expect(stdout).not.toContain('--cron ');
      const [, others = ''] = /Other options:\n(.*?)\n\n/s.exec(stdout) ?? [];
      for (const [option] of others.matchAll(/^ {2}\S.*/gm)) expect(option).toMatch(/--(only|update-env|json|help)\b/);
    }
  });

  it('no line of help is wider than a terminal of 80 columns', async () => {
    const named = entries.flatMap(({ names, raw }) => (raw ? [] : names[0]));
    for (const words of named.flatMap((name) => [
      [name, '--help'],
      [name, '--help-all'],
    ])) {
      const { stdout } = await run(words);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
      // The package has no such directory.
      expect(stdout).not.toContain('docs/');
    }
  });

  it('no two commands share a name', () => {
    const names = entries.flatMap((entry) => entry.names);
    expect(new Set(names).size).toBe(names.length);
  });
});

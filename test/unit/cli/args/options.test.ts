import { expect, it } from 'vitest';
import { parseInput } from '../../../../src/cli/args/options.ts';
import { entries } from '../../../../src/cli/entries.ts';

async function parsed(...argv: string[]) {
  const entry = entries.find(({ names }) => names.includes('start'))!;
  return parseInput(entry, await entry.load(), argv, async () => []);
}

it.each<[string[], Record<string, unknown>]>([
  [['-i', '4'], { instances: '4' }],
  [['-i4'], { instances: '4' }],
  [['-fi4'], { force: true, instances: '4' }],
  [['--instances=4', '--force'], { instances: '4', force: true }],
  [['--name=a=b'], { name: 'a=b' }],
  [['--name', '--force'], { name: '--force' }],
  [['--node-args', '--inspect'], { nodeArgs: '--inspect' }],
  [['--no-wait', '--no-autorestart'], { wait: false, autorestart: false }],
  [['--', '--force'], {}],
])('the options %j of "nsv start" are %j', async (argv, options) => {
  expect((await parsed('app.js', ...argv))?.options).toEqual(options);
});

it.each([
  [['--instance', '4'], `unknown option '--instance'; did you mean "--instances"?`],
  [['-x'], "unknown option '-x'"],
  [['--name'], "option '-n, --name <name>' argument missing"],
])('the options %j of "nsv start" are refused: %s', async (argv, problem) => {
  await expect(parsed('app.js', ...argv)).rejects.toThrow(problem);
});

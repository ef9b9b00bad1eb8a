import { expect, it } from 'vitest';
import { commandText } from '../../../../src/cli/args/command-text.ts';
import { parseInput } from '../../../../src/cli/args/options.ts';
import { entries } from '../../../../src/cli/entries.ts';

async function textOf(line: string[]): Promise<string> {
  const [name, ...argv] = line;
  const entry = entries.find(({ names }) => names.includes(name!))!;
  return commandText(entry.names[0], (await parseInput(entry, await entry.load(), argv, async () => []))!);
}

it.each<[string[], string]>([
  [['restart', 'web', '--update-env'], 'nsv restart web --update-env'],
  [['start', 'app.js', '--name', 'web', '-i', '4', '--no-wait'], 'nsv start app.js --no-wait --name=web --instances=4'],
  [['start', 'nsv.config.js', '--env', 'production', '--only', 'web'], 'nsv start nsv.config.js --env=… --only=web'],
  [['start', 'app.js', '--cwd', '/srv', '--', '--token', 'secret'], 'nsv start app.js --cwd=… -- …'],
  [['start', 'node app.js --token secret'], 'nsv start node …'],
  [['send', 'web', 'secret'], 'nsv send web …'],
  [['trigger', 'web', 'login', 'secret'], 'nsv trigger web …'],
  [['repl', 'web', '--eval', 'secret'], 'nsv repl web --eval=…'],
  [['scale', 'web', '+2'], 'nsv scale web +2'],
])('the command line %j is recorded as %j', async (line, text) => {
  expect(await textOf(line)).toBe(text);
});

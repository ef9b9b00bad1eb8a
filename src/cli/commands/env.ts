import { instanceEnvironment } from '../../config/environment.ts';
import { failure } from '../../shared/errors.ts';
import { type Command, jsonOption } from '../command.ts';
import { printEither } from '../print.ts';
import { printable } from '../render/text.ts';

export const env: Command = {
  summary: 'prints the environment of a process',
  notes: 'For an app with several instances, the environment of the first one.',
  arguments: [['<target>', 'name or id']],
  options: [jsonOption],
  examples: [
    ['nsv env web', 'one KEY=value per line'],
    ['nsv env 3 --json', 'one process, by id, as JSON'],
  ],
  async run(context, { words: [target = ''] }) {
    const client = await context.connect();
    const [app, ...others] = await client.describe({ targets: [target] });
    const process = app?.processes[0];
    if (!app || !process) throw failure('NO_SUCH_APP', { target });
    if (others.length > 0) throw failure('BAD_USAGE', { detail: `"${target}" matches several apps: name one of them` });
    const variables = instanceEnvironment(app.spec, process);
    const safe = context.out.terminal.tty ? printable : (text: string) => text;
    const lines = Object.entries(variables)
      .sort()
      .map(([key, value]) => safe(`${key}=${value}`));
    printEither(context.out, variables, () => lines.join('\n'));
  },
};

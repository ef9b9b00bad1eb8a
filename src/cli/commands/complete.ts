import { candidates } from '../args/completion.ts';
import { type Command, clientIfRunning } from '../command.ts';

export const complete: Command = {
  summary: 'prints candidates for the last word, for the scripts of "nsv completion"',
  arguments: [['[words...]', 'the words after "nsv"; the last one is completed']],
  examples: [['nsv complete -- stop w', 'names that start with w']],
  async run(context, { words }) {
    const found = await candidates(context.commands, words, async () => {
      const client = await clientIfRunning(context);
      return client ? client.list({ targets: [] }) : [];
    });
    if (found.length > 0) context.out.write(found.join('\n'));
  },
};

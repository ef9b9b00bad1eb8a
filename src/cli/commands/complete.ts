import { candidates } from '../args/completion.ts';
import { type Command, clientIfRunning } from '../command.ts';

export const complete: Command = {
  summary: 'prints what the last word may become, for the scripts of "nsv completion"',
  arguments: [['[words...]', 'what stands after "nsv", the word to complete last']],
  examples: [['nsv complete -- stop w', 'the names that begin with w']],
  async run(context, { words }) {
    const found = await candidates(words, async () => {
      const client = await clientIfRunning(context);
      return client ? client.list({ targets: [] }) : [];
    });
    if (found.length > 0) context.out.write(found.join('\n'));
  },
};

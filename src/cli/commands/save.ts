import { type Command, jsonOption } from '../command.ts';
import { printEither } from '../print.ts';
import { printable } from '../render/text.ts';

export const save: Command = {
  summary: 'writes the list of apps to the nsv home, for "nsv resurrect"',
  options: [jsonOption],
  examples: [['nsv save', 'after a change that should outlive a reboot']],
  async run(context) {
    const client = await context.connect();
    const saved = await client.save({});
    printEither(context.out, saved, () => `apps saved to ${printable(saved.file)}: ${saved.apps}`);
  },
};

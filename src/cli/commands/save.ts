import { type Command, jsonOption } from '../command.ts';
import { printEither } from '../print.ts';
import { printable } from '../render/text.ts';

export const save: Command = {
  summary: 'writes the list of apps to the nsv home, for "nsv resurrect" and the next boot',
  notes: `With --auto each change of the list (what there is, with which settings, and whether it is to run) is saved a second
later, also by the daemons to come, until --no-auto. What "nsv kill" or the end of the system stops stays in the list.`,
  options: [['--auto', 'save each change from now on'], ['--no-auto', 'save only when asked'], jsonOption],
  examples: [
    ['nsv save', 'after a change that should outlive a reboot'],
    ['nsv save --auto', 'and after each one to come'],
  ],
  async run(context, { options: { auto } }) {
    const client = await context.connect();
    const saved = await client.save(typeof auto === 'boolean' ? { auto } : {});
    const more = saved.auto ? '; each change is saved from now on ("nsv save --no-auto" ends that)' : '';
    printEither(context.out, saved, () => `apps saved to ${printable(saved.file)}: ${saved.apps}${more}`);
  },
};

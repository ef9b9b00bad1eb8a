import { bootOptions } from '../boot/options.ts';
import { performUnstartup } from '../boot/perform.ts';
import { type Command, jsonOption } from '../command.ts';

export const unstartup: Command = {
  summary: 'takes back what "nsv startup --install" did',
  notes: 'Only a file that nsv has written is removed. What runs now goes on.',
  arguments: [['[init-system]', 'as for "nsv startup"']],
  options: [...bootOptions, jsonOption],
  examples: [['nsv unstartup', 'no start at boot any more']],
  async run(context, input) {
    performUnstartup(context, input);
  },
};

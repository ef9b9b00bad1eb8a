import { performUnstartup } from '../boot/perform.ts';
import { bootOptions } from '../boot/plan.ts';
import { type Command, jsonOption } from '../command.ts';

export const unstartup: Command = {
  summary: 'removes the service installed by "nsv startup --install"',
  notes: 'Removes only a file that nsv wrote. Running apps are not affected.',
  arguments: [['[init-system]', 'as for "nsv startup"']],
  options: [...bootOptions, jsonOption],
  examples: [['nsv unstartup', 'no longer start nsv at boot']],
  run: async (context, input) => performUnstartup(context, input),
};

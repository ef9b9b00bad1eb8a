import { type Command, jsonOption } from '../command.ts';
import { printProcesses } from '../print.ts';

export const resurrect: Command = {
  summary: 'restores the saved apps, after a reboot or "nsv kill"',
  notes: `Launches the daemon if none is running. Apps that are in the list already are left alone, except those that have not been
started since the last reboot.`,
  options: [jsonOption],
  examples: [['nsv resurrect', 'after a reboot']],
  async run(context) {
    const client = await context.connect({ launch: true });
    await printProcesses(context.out, await client.resurrect({}));
  },
};

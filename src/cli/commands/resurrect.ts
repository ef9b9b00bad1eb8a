import { type Command, jsonOption } from '../command.ts';
import { printProcesses } from '../print.ts';

export const resurrect: Command = {
  summary: 'starts the saved apps that are not there yet',
  notes: 'Launches the daemon if none is running.',
  options: [jsonOption],
  examples: [['nsv resurrect', 'after a reboot']],
  async run(context) {
    const client = await context.connect({ launch: true });
    await printProcesses(context.out, await client.resurrect({}));
  },
};

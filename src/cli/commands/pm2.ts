import type { Command } from '../command.ts';
import { performPm2 } from '../pm2/perform.ts';

export const pm2: Command = {
  summary: "takes PM2's command line: what bin/pm2-compat runs",
  notes: 'More in docs/from-pm2.md.',
  arguments: [['[words...]', 'what stands after "pm2"']],
  examples: [['nsv pm2 start app.js -i max', 'as PM2 would']],
  run: (context, { words }) => performPm2(words, context),
};

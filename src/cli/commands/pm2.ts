import type { Command } from '../command.ts';
import { performPm2, performPm2Runtime } from '../pm2/perform.ts';

export const pm2: Command = {
  summary: 'runs a PM2 command line with nsv (this is what nsv-pm2 does)',
  arguments: [['[words...]', 'the words after "pm2"']],
  examples: [['nsv pm2 start app.js -i max', 'start an app, as PM2 would']],
  run: (context, { words }) => performPm2(words, context),
};

export const pm2Runtime: Command = {
  summary: 'runs a command line of pm2-runtime with nsv (this is what nsv-pm2 does under that name)',
  arguments: [['[words...]', 'the words after "pm2-runtime"']],
  examples: [['nsv pm2-runtime start ecosystem.config.js', 'run the apps of a file in the foreground']],
  run: (context, { words }) => performPm2Runtime(words, context),
};

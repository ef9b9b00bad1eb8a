import { type Command, someTargetsArgument } from '../command.ts';
import { renderEvent } from '../render/event.ts';
import { loadPaint } from '../render/paint.ts';

export const events: Command = {
  summary: 'tells what happens to apps, as it happens',
  notes: `Starts, exits, restarts, reloads, giving up, rotated logs, and what apps say by process.send({ type, data }). Ends with the
daemon, or by Ctrl-C (exit code 130). A reader that falls behind by more than 256 KB is let go, with exit code 4.`,
  arguments: [someTargetsArgument],
  options: [['--json', 'an object for each event']],
  examples: [
    ['nsv events', 'of all apps, those to come too'],
    ['nsv events web --json | jq .type', 'of one app, for programs'],
  ],
  async run(context, { words }) {
    const { out } = context;
    const paint = await loadPaint(out.terminal.colour);
    await context.follow(words, (event) => out.write(out.json ? JSON.stringify(event) : renderEvent(event, paint)));
  },
};

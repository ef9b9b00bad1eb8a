import { type Command, someTargetsArgument } from '../command.ts';
import { renderEvent } from '../render/event.ts';
import { loadPaint } from '../render/paint.ts';

export const events: Command = {
  summary: 'prints starts, exits, restarts and other events as they happen',
  notes: `Prints starts, exits, restarts, reloads, give-ups, log rotations, and messages that apps send with process.send({ type, data }).
Runs until the daemon exits, you press Ctrl-C (exit code 130), or the reader of its output goes away (exit code 0). A reader that
falls behind by more than 256 KB is disconnected (exit code 4).`,
  arguments: [someTargetsArgument],
  options: [['--json', 'print one JSON object per event']],
  examples: [
    ['nsv events', 'events of all apps, new ones included'],
    ['nsv events web --json | jq .type', 'events of one app, for scripts'],
  ],
  async run(context, { words }) {
    const { out } = context;
    const paint = await loadPaint(out.terminal.colour);
    out.endWithReader();
    await context.follow(words, (event) => out.write(out.json ? JSON.stringify(event) : renderEvent(event, paint)));
  },
};

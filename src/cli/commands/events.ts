import type { EventView } from '../../ipc/journal/event-views.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { realClock } from '../../shared/clock.ts';
import { detailOf, isFailure } from '../../shared/errors.ts';
import { homePaths } from '../../shared/paths.ts';
import { flag, readFlags, rowsOf } from '../args/flags.ts';
import { parseMoment } from '../args/moment.ts';
import { type Command, type Context, clientIfRunning, someTargetsArgument } from '../command.ts';
import { createPast, type PastEvents } from '../events/past.ts';
import { renderEvent } from '../render/event.ts';
import { loadPaint } from '../render/paint.ts';
import { toJson } from '../render/text.ts';

type Print = (event: EventView) => void;

const sinceFlag = flag('--since <time>', 'print the events since this time first', 'since', (value) =>
  parseMoment(String(value), realClock.wall()),
);

export const events: Command = {
  summary: 'prints commands, starts, exits and other events as they happen',
  notes: `Prints commands and who gave them, starts, exits, restarts and their reasons, reloads, give-ups, log rotations, and messages that
apps send with process.send({ type, data }). Runs until the daemon exits, you press Ctrl-C (exit code 130), or the reader of its
output goes away (exit code 0). A reader that falls behind by more than 2 MB is disconnected (exit code 4).

--since prints past events first, from a journal that nsv keeps in its home (the last 1 to 2 MB, without messages of apps). It takes
a duration (10m, 1h30m, 2d) or a point in time (18:00, 2026-11-21, 2026-11-21T18:00, optionally with a time zone). The journal can
be read when no daemon is running. Who gave a command is what the client said: the daemon cannot check it.`,
  arguments: [someTargetsArgument],
  options: [
    ...rowsOf([sinceFlag]),
    ['--nostream', 'print past events and exit (without --since: all of the journal)'],
    ['--json', 'print one JSON object per event'],
  ],
  examples: [
    ['nsv events', 'events of all apps, new ones included'],
    ['nsv events web --since 15:00 --nostream', 'who restarted web at three?'],
    ['nsv events web --json | jq .type', 'events of one app, for scripts'],
  ],
  async run(context, { words, options }) {
    const { out } = context;
    const { since } = readFlags([sinceFlag], options);
    const paint = await loadPaint(out.terminal.colour);
    const print: Print = (event) => out.write(out.json ? toJson(event) : renderEvent(event, paint));
    if (!options.nostream) out.endWithReader();
    if (!options.nostream && since === undefined) return context.follow(words, print);
    const targets = { file: homePaths().events, targets: words, running: await running(context, words) };
    const past = createPast({ ...targets, since: since ?? Number.NEGATIVE_INFINITY, print });
    if (!options.nostream) return followOn(context, words, past, print);
    past.print();
    // Neither the journal nor the daemon, if there is one, knows it.
    if (past.count === 0) await (await clientIfRunning(context))?.list({ targets: words });
  },
};

/** Tells which apps a namespace has. Empty if no daemon is running. */
async function running(context: Context, words: string[]): Promise<ProcessView[]> {
  return words.length > 0 ? ((await context.ask((client) => client.list({ targets: [] }))) ?? []) : [];
}

/** Continues with the events of the daemon, without a gap, also when another daemon takes over. */
async function followOn(context: Context, words: string[], past: PastEvents, print: Print): Promise<void> {
  try {
    await context.follow(words, print, past.print);
  } catch (error) {
    if (past.isFollowed || !isFailure(error, 'DAEMON_NOT_RUNNING', 'NO_SUCH_APP')) throw error;
    past.print();
    // The app may have been deleted since.
    if (isFailure(error, 'NO_SUCH_APP') && past.count === 0) throw error;
    context.out.note(`nsv: ${detailOf(error)}, so there is nothing to follow`);
  }
}

// Commands that look into one process: which one it is, and its answer to a question.
import { type AskOptions, type InsightAnswer, InvalidAnswer, withInsight } from '../../client/insight.ts';
import type { Question } from '../../ipc/questions.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { failure } from '../../shared/errors.ts';
import { type Context, isConfirmed } from '../command.ts';

/** Throws NO_SUCH_APP, and BAD_USAGE if there are several. `purpose`: what the command does with it, as in "profile". */
export async function oneProcess(context: Context, target: string, purpose: string): Promise<ProcessView> {
  const client = await context.connect();
  const process = onlyOne(await client.list({ targets: [target] }), target, purpose);
  // The question goes over a connection of its own. If the user presses Ctrl-C, the daemon withdraws it.
  context.disconnect();
  return process;
}

/** What the daemon has listed for a target that must be one process. Throws like `oneProcess`. */
export function onlyOne<T extends { id: number }>(listed: readonly T[], target: string, purpose: string): T {
  const [first, ...others] = listed;
  if (!first) throw failure('NO_SUCH_APP', { target });
  if (others.length === 0) return first;
  const ids = listed.map(({ id }) => id).join(', ');
  throw failure('BAD_USAGE', { detail: `"${target}" matches several processes: ${purpose} one of them by id, ${ids}` });
}

/** `read` may throw InvalidAnswer. Throws CANNOT_INSPECT, also if the process does not take up the question. */
export async function askProcess<T>(
  context: Context,
  { id, name }: ProcessView,
  question: Question,
  read: (answer: InsightAnswer) => T,
  options?: AskOptions,
): Promise<T> {
  try {
    const open = () => context.open();
    const answer = await withInsight(open, (insight) => insight.ask(id, question, options));
    if (answer.answered) return read(answer);
    throw failure('CANNOT_INSPECT', { name, reason: 'its event loop is blocked, or it is stopped' });
  } catch (error) {
    if (!(error instanceof InvalidAnswer)) throw error;
    throw failure('CANNOT_INSPECT', { name, reason: error.message }, { cause: error });
  }
}

/** Asks before something that costs the app. Throws BAD_USAGE without a "y". Other programs pass --yes. */
export async function confirm(context: Context, question: string): Promise<void> {
  if (await isConfirmed(context, question)) return;
  throw failure('BAD_USAGE', { detail: 'not confirmed, so nothing was done; --yes confirms without a question' });
}

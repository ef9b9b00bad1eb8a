// Commands that look into one process: which one it is, and its answer to a question.
import { openInsight } from '../../client/insight.ts';
import type { Question } from '../../ipc/questions.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { failure } from '../../shared/errors.ts';
import type { Context } from '../command.ts';

/** Throws NO_SUCH_APP, and BAD_USAGE if there are several. `purpose`: what the command does with it, as in "profile". */
export async function oneProcess(context: Context, target: string, purpose: string): Promise<ProcessView> {
  const client = await context.connect();
  const [process, ...others] = await client.list({ targets: [target] });
  if (!process) throw failure('NO_SUCH_APP', { target });
  if (others.length > 0) {
    const ids = [process, ...others].map(({ id }) => id).join(', ');
    throw failure('BAD_USAGE', {
      detail: `"${target}" matches several processes: ${purpose} one of them by id, ${ids}`,
    });
  }
  // The question goes over a connection of its own. If the user presses Ctrl-C, the daemon withdraws it.
  context.disconnect();
  return process;
}

/** Throws CANNOT_INSPECT, also if the process does not take up the question. `part` receives the answer piece by piece. */
export async function askProcess(
  context: Context,
  { id, name }: ProcessView,
  question: Question,
  part: (text: string) => void,
): Promise<void> {
  const insight = await openInsight(() => context.open());
  let problem: unknown;
  const take = (text: string) => {
    if (problem !== undefined) return;
    try {
      part(text);
    } catch (error) {
      problem = error;
      // Ends the question.
      insight.close();
    }
  };
  try {
    const { answered } = await insight.ask(id, question, { part: take });
    if (problem === undefined && !answered)
      throw failure('CANNOT_INSPECT', { name, reason: 'its event loop is blocked, or it is stopped' });
  } catch (error) {
    throw problem ?? error;
  } finally {
    insight.close();
  }
  if (problem !== undefined) throw problem;
}

/** Characters of a profile. That of ten busy minutes has some 20 million. */
const longestAnswer = 256 * 1024 ** 2;

/** The whole answer. Throws CANNOT_INSPECT. */
export async function answerOf(context: Context, process: ProcessView, question: Question): Promise<string> {
  const texts: string[] = [];
  let length = 0;
  await askProcess(context, process, question, (text) => {
    length += text.length;
    if (length > longestAnswer)
      throw failure('CANNOT_INSPECT', { name: process.name, reason: 'its answer does not end' });
    texts.push(text);
  });
  return texts.join('');
}

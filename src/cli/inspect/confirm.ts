// Asks before something that costs the app.
import { failure } from '../../shared/errors.ts';
import type { Context } from '../command.ts';

/** Throws BAD_USAGE without a "y". Other programs pass --yes. */
export async function confirm({ out, input }: Context, question: string): Promise<void> {
  out.note(`nsv: ${question} [y/N]`);
  for await (const answer of input()) {
    if (/^y(es)?\s*$/i.test(answer.split('\n')[0]!)) return;
    break;
  }
  throw failure('BAD_USAGE', { detail: 'not confirmed, so nothing was done; --yes confirms without a question' });
}

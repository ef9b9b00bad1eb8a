// How the table judges the end of a process, with the history of its app. Pure.
import type { Exit } from '../../../ipc/views.ts';
import { judgeEnd, type RestartVerdict, type RunEnd } from './restart-policy.ts';
import type { TransitionContext as Context, Effect } from './state.ts';

/** What counts as the exit of a process of which something else says that its work is not done. */
export const failedExit: Exit = { code: 1, signal: null };

interface Judged {
  verdict: RestartVerdict;
  /** The effects of the verdict on the app's restart limit. */
  counted: Effect[];
}

export function judge(end: Omit<RunEnd, 'now' | 'isFirst' | 'wait'>, context: Context): Judged {
  const { rules, recent, holdsSlot, isFirst, now, wait } = context;
  if (!holdsSlot) return { verdict: { kind: 'rest' }, counted: [] };
  const { verdict, recent: counting } = judgeEnd(rules, recent, { ...end, now, isFirst, wait });
  return { verdict, counted: [{ do: 'countAgainstLimit', recent: counting }] };
}

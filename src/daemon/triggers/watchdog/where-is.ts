// Finds out where a blocked process is.
import { stackQuestion } from '../../../client/stacks/question.ts';
import { whyNoStack } from '../../../client/stacks/why-no-stack.ts';
import type { DeathFrame } from '../../../ipc/records/deaths.ts';
import { hasPrivateErrorLog } from '../../../os/blocked/attaching.ts';
import { standingOf } from '../../../os/blocked/standing.ts';
import { detailOf } from '../../../shared/errors.ts';
import type { Child } from '../../launch/launcher.ts';
import { findStack, type Job } from '../../launch/stack-finder.ts';
import { ask } from '../../process/questions.ts';
import { isAttachable } from '../../process/worker-line.ts';

/** Characters: it is the argument of a program. */
const longestStack = 100_000;

export interface Where {
  /** Innermost call first; empty if there is none. */
  stack: DeathFrame[];
  /** One line for people. */
  text: string;
}

/** `program`: looks into a process by its inspector, and reads source maps. Never rejects. */
export async function whereIs(child: Child, program: string): Promise<Where> {
  try {
    const { stack, at, problem } = await findStack(program, await jobFor(child), (from) => detachLater(child, from));
    return stack.length > 0 ? { stack, text: `in ${at}` } : unknown(problem, child.pid);
  } catch (error) {
    return unknown(detailOf(error), child.pid);
  }
}

/** By the signal, or else by a thread. Throws the reason if it can be neither. */
async function jobFor(child: Child): Promise<Job> {
  const { pid, startTime = null, stackThread } = child;
  const attachable = isAttachable(child) && hasPrivateErrorLog(pid);
  const problem = whyNoStack({ attachable, startTime }, standingOf(pid));
  if (problem === undefined && startTime !== null) return { pid, startTime };
  if (!stackThread || attachable) throw new Error(problem);
  const stack = JSON.stringify(await stackThread.evaluate(stackQuestion));
  if (stack === undefined || stack.length > longestStack) throw new Error('its thread does not answer');
  return { stack };
}

/** The question waits in the channel until the event loop turns. */
function detachLater(child: Child, from: number): void {
  const asked = ask(child, { kind: 'detach', from }, (step) => {
    if (step === 'part') asked?.more();
  });
}

function unknown(problem: string, pid: number): Where {
  const children = standingOf(pid)?.children ?? [];
  const commands = children.map(({ command }) => command).join(', ');
  return { stack: [], text: `no stack: ${problem}${commands && `; its child processes: ${commands}`}` };
}

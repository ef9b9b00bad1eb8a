// The questions that processes are answering. src/ipc/questions.ts has the kinds.
import type { Question } from '../../ipc/questions.ts';
import { type AnswerStep, type DownMessage, marker, type UpMessage } from '../../ipc/worker-messages.ts';
import type { Child } from '../launch/launcher.ts';

/** `lost`: there will be no more of it, for the reason given. */
type OnAnswer = (step: AnswerStep | 'lost', text: string) => void;

export interface Asked {
  /** Requests the next part. */
  more(): void;
  /** Withdraws the question. `onAnswer` is not called any more. */
  unask(): void;
}

interface UnderWay {
  about: Question;
  onAnswer: OnAnswer;
  hasBegun: boolean;
}

/** While a process answers these, its event loop does not turn. */
const stopping: readonly Question['kind'][] = ['snapshot', 'gc', 'evaluate'];

const underWay = new WeakMap<Child, Map<number, UnderWay>>();
let lastNumber = 0;

/** Returns undefined if the process has no channel. */
export function ask(child: Child, about: Question, onAnswer: OnAnswer): Asked | undefined {
  lastNumber += 1;
  const question = lastNumber;
  const send = (message: DownMessage) => child.send(message);
  if (!send({ cmd: marker, type: 'ask', question, about })) return undefined;
  const listeners = underWay.get(child) ?? new Map<number, UnderWay>();
  underWay.set(child, listeners.set(question, { about, onAnswer, hasBegun: false }));
  return {
    more: () => void send({ cmd: marker, type: 'next-part', question }),
    unask() {
      if (listeners.delete(question)) send({ cmd: marker, type: 'cancel', question });
    },
  };
}

/** What nobody waits for is dropped: the process may have sent it before it heard that. */
export function onAnswer(child: Child, { question, step, text }: Extract<UpMessage, { type: 'answer' }>): void {
  const listeners = underWay.get(child);
  const entry = listeners?.get(question);
  if (entry && step === 'begun') entry.hasBegun = true;
  if (step === 'done' || step === 'refused') listeners?.delete(question);
  entry?.onAnswer(step, text);
}

/** Whether the process has begun to answer a question that stops its event loop. */
export function isStoppedByQuestion(child: Child): boolean {
  const entries = [...(underWay.get(child)?.values() ?? [])];
  return entries.some(({ about, hasBegun }) => hasBegun && stopping.includes(about.kind));
}

/** The process has ended, or lost its channel. */
export function loseAnswers(child: Child, reason: string): void {
  const listeners = underWay.get(child);
  underWay.delete(child);
  for (const { onAnswer } of listeners?.values() ?? []) onAnswer('lost', reason);
}

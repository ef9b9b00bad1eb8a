// Which calls the journal tells of: those that do more than look.
import { type MethodName, methods, type Params } from '../protocol.ts';
import type { Question, QueueAct } from '../questions.ts';

/** Questions that stop the process for a while, or change it. */
const heavyQuestions: readonly Question['kind'][] = ['snapshot', 'gc', 'evaluate'];
const looksAtQueues: readonly QueueAct[] = ['count', 'look'];

export function isNoted(name: MethodName, params: object): boolean {
  if (name === 'inspect') return isNotedQuestion((params as Params<'inspect'>).question);
  const { effect } = methods[name];
  return effect !== 'read' && effect !== 'observe';
}

function isNotedQuestion(question: Question): boolean {
  return question.kind === 'queue' ? !looksAtQueues.includes(question.act) : heavyQuestions.includes(question.kind);
}

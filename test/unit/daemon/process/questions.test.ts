import { beforeEach, expect, it } from 'vitest';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import { ask, isStoppedByQuestion, loseAnswers, onAnswer } from '../../../../src/daemon/process/questions.ts';
import type { Question } from '../../../../src/ipc/questions.ts';
import { type AnswerStep, marker } from '../../../../src/ipc/worker-messages.ts';

let child: Child;
let last: number;

beforeEach(() => {
  const send = (message: object) => {
    if ('type' in message && message.type === 'ask') last = (message as unknown as { question: number }).question;
    return true;
  };
  child = { send } as unknown as Child;
});

const says = (step: AnswerStep) => onAnswer(child, { cmd: marker, type: 'answer', question: last, step, text: '' });
const asked = (about: Question) => ask(child, about, () => {});

it.each(['done', 'refused'] as const)(
  'a process counts as stopped from the beginning of a heap snapshot until it is "%s"',
  (end) => {
    asked({ kind: 'snapshot' });
    expect(isStoppedByQuestion(child)).toBe(false);
    says('begun');
    expect(isStoppedByQuestion(child)).toBe(true);
    says('part');
    expect(isStoppedByQuestion(child)).toBe(true);
    says(end);
    expect(isStoppedByQuestion(child)).toBe(false);
  },
);

it('a process does not count as stopped during a profile, or after a question is withdrawn or lost', () => {
  asked({ kind: 'cpu', ms: 100, interval: 1_000 });
  says('begun');
  expect(isStoppedByQuestion(child)).toBe(false);
  const withdrawn = asked({ kind: 'gc' });
  says('begun');
  withdrawn?.unask();
  expect(isStoppedByQuestion(child)).toBe(false);
  asked({ kind: 'gc' });
  says('begun');
  loseAnswers(child, 'it exited');
  expect(isStoppedByQuestion(child)).toBe(false);
});

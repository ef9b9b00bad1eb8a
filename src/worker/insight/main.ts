// Answers questions about the process that it runs in. Loaded with the first question (../questions.ts), so that an app that nobody
// asks pays nothing. A question is under way until it is answered or nobody wants the answer any longer; then everything
// it has turned on in the process is off again.
import type { Question } from '../../ipc/questions.ts';
import type { AnswerStep } from '../../ipc/worker-messages.ts';
import { type AppInsight, answer } from './answers.ts';
import { Inspection, type Timers } from './inspection.ts';
import { partsOf } from './parts.ts';

export interface Answers {
  ask(question: number, about: Question): void;
  /** Sends the next part of the answer. */
  more(question: number): void;
  unask(question: number): void;
  unaskAll(): void;
}

export interface AnswersOptions extends Timers, AppInsight {
  send(news: { question: number; step: AnswerStep; text: string }): void;
}

/** At the same time. Each can hold a profile. */
const mostQuestions = 8;

interface UnderWay {
  inspection: Inspection;
  /** Called when the daemon wants the next part. */
  next?: () => void;
}

export function createAnswers({ send, metrics, queue, ...timers }: AnswersOptions): Answers {
  const underWay = new Map<number, UnderWay>();

  async function perform(question: number, about: Question, entry: UnderWay): Promise<void> {
    const sendStep = (step: AnswerStep, text = '') => {
      // After the death of a daemon, another one may use the number for its own question.
      if (underWay.get(question) === entry) send({ question, step, text });
    };
    try {
      sendStep('begun');
      for await (const part of partsOf(await answer(about, entry.inspection, { metrics, queue }))) {
        if (underWay.get(question) !== entry) return;
        const isWanted = new Promise<void>((resolve) => {
          entry.next = resolve;
        });
        sendStep('part', part);
        await isWanted;
      }
      entry.inspection.close();
      sendStep('done');
    } catch (error) {
      entry.inspection.close();
      sendStep('refused', (error instanceof Error ? error.message : String(error)).slice(0, 1_000));
    } finally {
      if (underWay.get(question) === entry) underWay.delete(question);
    }
  }

  function unask(question: number): void {
    const entry = underWay.get(question);
    underWay.delete(question);
    entry?.inspection.close();
    entry?.next?.();
  }

  return {
    ask(question, about) {
      if (underWay.size >= mostQuestions) {
        send({ question, step: 'refused', text: `it is answering ${mostQuestions} questions already` });
        return;
      }
      const entry: UnderWay = { inspection: new Inspection(timers) };
      underWay.set(question, entry);
      // It does not reject.
      void perform(question, about, entry);
    },
    more: (question) => underWay.get(question)?.next?.(),
    unask,
    unaskAll() {
      for (const question of [...underWay.keys()]) unask(question);
    },
  };
}

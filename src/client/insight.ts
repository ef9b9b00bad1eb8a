// Asks running processes about themselves: `nsv stack` and the like.
//
//   const insight = await openInsight(context.open);
//   try {
//     const { answered, value } = await insight.ask(process.id, { kind: 'cpu', ms: 10_000, interval: 1_000 });
//     …
//   } finally {
//     insight.close();
//   }
//
// A question is one call of the daemon's method `inspect`. The daemon passes it to the worker in the process, which answers by Node's
// own inspector and undoes what it has turned on when the answer is complete or the question is withdrawn: by `close`, by the end of
// this program, or by the death of the daemon. Each part of an answer is requested when the previous one was read, so a large
// answer fills no memory but the process's own, and that of whoever collects it.
//
// A new kind of question is a row in src/ipc/questions.ts (its parameters and their limits) and one in
// src/worker/insight/answers.ts. A worker may return an object, which is sent as JSON, or an `AsyncIterable<string>`.
import type { Connection } from '../ipc/client.ts';
import type { AnswerPart } from '../ipc/protocol.ts';
import type { Question } from '../ipc/questions.ts';
import type { InspectedView } from '../ipc/views.ts';
import { realClock } from '../shared/clock.ts';
import { bounded } from '../shared/promises.ts';
import type { Shape } from '../shared/shapes.ts';

/** Milliseconds for a process to take up a question. */
export const defaultTimeout = 10_000;

/** Characters of an answer that is collected. */
const defaultLongest = 256 * 1024 ** 2;

/** Calls at the same time. The daemon accepts 32 on a connection. */
const mostCalls = 24;

export interface AskOptions {
  /** Which process, if several have the id. */
  pid?: number;
  /** Milliseconds for the process to take up the question. Default 10,000, at most 60,000. */
  timeout?: number;
  /** Characters of the answer. Default 256 million; any number with `part`. */
  longest?: number;
  /** Milliseconds for the whole answer, from the question on. By default there is no limit. */
  time?: number;
  /** Receives the answer part by part; then `text` is empty. What it throws ends the question. */
  part?: (text: string) => void;
}

export interface InsightAnswer extends InspectedView {
  // `answered` is false if the process did not take up the question in time: its event loop is blocked, or it is stopped.
  /** The whole answer. */
  text: string;
  /** The answer, parsed as JSON each time. Undefined without an answer. Throws InvalidAnswer. */
  readonly value: unknown;
}

/** The process has answered with what no worker answers: it runs user code. The message is the reason. */
export class InvalidAnswer extends Error {}

export interface Insight {
  /**
   * Asks the process with this id. Rejects with NO_SUCH_APP, with CANNOT_INSPECT and the reason, with InvalidAnswer if the
   * answer exceeds a limit, or with an error of the connection. What exceeds a limit goes on arriving until `close`.
   */
  ask(id: number, question: Question, options?: AskOptions): Promise<InsightAnswer>;
  /** Withdraws all questions. */
  close(): void;
}

/** `open` connects to the daemon, and may throw. The connection is not used for anything else. */
export async function openInsight(open: () => Promise<Connection>): Promise<Insight> {
  const connection = await open();
  const collectors = new Map<number, (text: string) => void>();
  let lastKey = 0;
  connection.onPart(({ key, text }: AnswerPart) => collectors.get(key)?.(text));

  async function ask(id: number, question: Question, options: AskOptions = {}): Promise<InsightAnswer> {
    const { pid, timeout = defaultTimeout, part, time } = options;
    const { longest = part ? Number.POSITIVE_INFINITY : defaultLongest } = options;
    lastKey += 1;
    const key = lastKey;
    const texts: string[] = [];
    const take = part ?? ((text: string) => texts.push(text));
    let cancel = () => {};
    const refused = new Promise<never>((_, reject) => {
      const end = () => reject(new InvalidAnswer('its answer does not end'));
      if (time !== undefined) cancel = realClock.after(time, end);
      let length = 0;
      collectors.set(key, (text) => {
        length += text.length;
        if (length > longest) return end();
        try {
          take(text);
        } catch (error) {
          reject(error);
        }
      });
    });
    try {
      const asked = { id, key, question, timeout, ...(pid !== undefined && { pid }) };
      return answerOf(await Promise.race([connection.client.inspect(asked), refused]), texts.join(''));
    } finally {
      cancel();
      collectors.delete(key);
    }
  }

  return { ask: bounded(mostCalls, ask), close: () => connection.close() };
}

/** Opens it for a job, and closes it. */
export async function withInsight<T>(
  open: () => Promise<Connection>,
  job: (insight: Insight) => Promise<T>,
): Promise<T> {
  const insight = await openInsight(open);
  try {
    return await job(insight);
  } finally {
    insight.close();
  }
}

function answerOf(about: InspectedView, text: string): InsightAnswer {
  return {
    ...about,
    text,
    get value() {
      return about.answered ? parse(text) : undefined;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidAnswer('its answer is invalid', { cause });
  }
}

/** Throws InvalidAnswer. */
export function answerAs<T>(shape: Shape<T>, value: unknown): T {
  try {
    return shape(value, 'answer');
  } catch (cause) {
    throw new InvalidAnswer('its answer is invalid', { cause });
  }
}

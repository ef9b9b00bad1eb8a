// Limits on what a process may answer.
import { describe, expect, it } from 'vitest';
import { InvalidAnswer, openInsight } from '../../../src/client/insight.ts';
import type { Connection } from '../../../src/ipc/client.ts';
import type { AnswerPart } from '../../../src/ipc/protocol.ts';

const about = { pid: 1, answered: true, startTime: 1, attachable: false };

/** The process answers with these parts, and ends only if it is told to. */
async function insightInto(parts: string[], ends = true) {
  let hear = (_part: AnswerPart) => {};
  const inspect = async ({ key }: { key: number }) => {
    for (const text of parts) hear({ key, text });
    return ends ? about : new Promise(() => {});
  };
  const connection = {
    client: { inspect },
    onPart: (listener: typeof hear) => {
      hear = listener;
    },
    close: () => {},
  };
  return openInsight(async () => connection as unknown as Connection);
}

const question = { kind: 'resources' } as const;

describe('an answer', () => {
  it('is joined from its parts and parsed', async () => {
    const insight = await insightInto(['{"Time', 'out":1}']);
    expect((await insight.ask(0, question)).value).toEqual({ Timeout: 1 });
  });

  it('is rejected before it ends if it is too long', async () => {
    const insight = await insightInto(['x'.repeat(10), 'x'], false);
    await expect(insight.ask(0, question, { longest: 10 })).rejects.toThrow(
      new InvalidAnswer('its answer does not end'),
    );
  });

  it('is rejected if it takes too long', async () => {
    const insight = await insightInto([], false);
    await expect(insight.ask(0, question, { time: 1 })).rejects.toThrow(InvalidAnswer);
  });

  it.each(['', 'hello'])('has no value if it is not JSON: "%s"', async (text) => {
    const answer = await (await insightInto([text])).ask(0, question);
    expect(() => answer.value).toThrow(InvalidAnswer);
  });
});

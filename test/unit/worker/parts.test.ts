// How an answer is cut into parts that fit into messages.
import { describe, expect, it } from 'vitest';
import { longestPart } from '../../../src/ipc/worker-messages.ts';
import { type Answer, partsOf } from '../../../src/worker/insight/parts.ts';

async function partsIn(answer: Answer): Promise<string[]> {
  const parts: string[] = [];
  for await (const part of partsOf(answer)) parts.push(part);
  return parts;
}

describe('the parts of an answer', () => {
  it('are one for a short value', async () => {
    expect(await partsIn({ Timeout: 2 })).toEqual(['{"Timeout":2}']);
  });

  it('fit into a message, and together are the answer', async () => {
    const value = { text: 'x'.repeat(3 * longestPart) };
    const parts = await partsIn(value);
    expect(parts.map(({ length }) => length)).toEqual([longestPart, longestPart, longestPart, 11]);
    expect(JSON.parse(parts.join(''))).toEqual(value);
  });

  it('do not cut a character in two', async () => {
    const text = `x${'😀'.repeat(longestPart)}`;
    const parts = await partsIn(
      (async function* () {
        yield text;
      })(),
    );
    expect(parts.every((part) => Buffer.from(part).toString() === part)).toBe(true);
    expect(parts.join('') === text).toBe(true);
  });
});

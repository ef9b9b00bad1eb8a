// What programs give to a queue, which may be anything.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Queue, QueueOptions } from '../../../queue/index.cjs';
import { createQueue, memoryStore } from '../../../src/queue/index.ts';

function opened(options: QueueOptions = {}): Queue {
  const queue = createQueue('q', { store: memoryStore(), ...options });
  onTestFinished(() => queue.close());
  return queue;
}

function refuse(): never {
  throw new Error('no');
}

describe('a thrown value', () => {
  const unreadable = Object.defineProperty(new Error('hidden'), 'stack', {
    get() {
      throw new Error('no stack');
    },
  });

  it.each([
    ['an error', new RangeError('wrong'), 'RangeError: wrong'],
    ['a text', 'wrong', 'wrong'],
    ['nothing', undefined, 'undefined'],
    ['a symbol', Symbol('wrong'), 'Symbol(wrong)'],
    ['an object without a prototype', Object.create(null), 'something that has no text was thrown'],
    ['an error whose stack throws', unreadable, 'something that has no text was thrown'],
    ['an error whose stack is a list', Object.assign(new Error('wrong'), { stack: ['a', 'b'] }), 'Error: wrong'],
    ['an error with a broken character', 'half \ud83d and \0', 'half \ufffd and \ufffd'],
    [
      'a proxy that refuses everything',
      new Proxy({}, { get: refuse, getPrototypeOf: refuse }),
      'something that has no text',
    ],
  ])('fails the task, and no other one: %s', async (_what, value, text) => {
    const queue = opened({ retries: 0 });
    queue.process(({ data }) => {
      if (data === 'throws') throw value;
      return 'done';
    });
    const { id } = await queue.add('throws');
    await expect(queue.waitFor(id)).rejects.toMatchObject({ code: 'NSV_TASK_FAILED' });
    expect((await queue.get(id))!.error).toContain(text);
    expect(await queue.waitFor((await queue.add('works')).id)).toBe('done');
  });
});

describe('a value that is too large or not JSON', () => {
  it('is refused as data', async () => {
    const queue = opened();
    const loop: { self?: object } = {};
    loop.self = loop;
    await expect(queue.add(loop)).rejects.toThrow('the data cannot be written as JSON: Converting circular structure');
    await expect(queue.add(1n)).rejects.toThrow(TypeError);
    await expect(queue.add(() => {})).rejects.toThrow('the data cannot be written as JSON: it is a function');
    await expect(queue.add('x'.repeat(5 << 20))).rejects.toMatchObject({
      code: 'NSV_TOO_LARGE',
      message: expect.stringMatching(/^the data takes 5,242,882 bytes as JSON, more than 1,048,576: keep it elsewhere/),
    });
    expect(await queue.counts()).toMatchObject({ pending: 0 });
  });

  it('fails the task as a result, without another attempt', async () => {
    const queue = opened();
    let calls = 0;
    queue.process(({ data }) => {
      calls += 1;
      return data === 'large' ? 'x'.repeat(2 << 20) : 1n;
    });
    await expect(queue.waitFor((await queue.add('large')).id)).rejects.toThrow('the result takes 2,097,154 bytes');
    await expect(queue.waitFor((await queue.add('odd')).id)).rejects.toThrow('the result cannot be written as JSON');
    expect(calls).toBe(2);
  });

  it('fails the attempt as progress', async () => {
    const queue = opened({ retries: 0 });
    queue.process((_task, { progress }) => progress('x'.repeat(5_000)));
    await expect(queue.waitFor((await queue.add(1)).id)).rejects.toThrow('the progress takes 5,002 bytes');
  });
});

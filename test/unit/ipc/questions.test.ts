// What a client may ask a process, row by row.
import { describe, expect, it } from 'vitest';
import { parseQuestion, type Question } from '../../../src/ipc/questions.ts';

/** One of each kind; the compiler names a missing one. */
const good: { [K in Question['kind']]: Extract<Question, { kind: K }> } = {
  resources: { kind: 'resources' },
  cpu: { kind: 'cpu', ms: 100, interval: 500 },
  detach: { kind: 'detach', from: 4_096 },
  allocations: { kind: 'allocations', ms: 100, interval: 1_024 },
  snapshot: { kind: 'snapshot' },
  gc: { kind: 'gc' },
  metrics: { kind: 'metrics' },
  collections: { kind: 'collections', above: 0.9 },
  evaluate: { kind: 'evaluate', code: '1 + 1' },
  turn: { kind: 'turn' },
  stack: { kind: 'stack' },
  queue: { kind: 'queue', name: 'exports', place: '/srv/queues.sqlite', act: 'retry', task: 'report-7' },
};

const bad: [question: unknown, detail: string][] = [
  [undefined, '"question" must be an object'],
  [null, '"question" must be an object'],
  ['cpu', '"question" must be an object'],
  [{ kind: 'toString' }, '"question.kind" must be one of resources, cpu, detach'],
  [{ kind: 'cpu' }, '"ms" must be a whole number from 1 to 600000'],
  [{ kind: 'detach', from: -1 }, '"from" must be a whole number'],
  [{ kind: 'cpu', ms: '100' }, '"ms" must be a whole number'],
  [{ kind: 'cpu', ms: 600_001 }, '"ms" must be a whole number'],
  [{ kind: 'cpu', ms: 100, interval: 49 }, '"interval" must be a whole number from 50 to 1000000'],
  [{ kind: 'allocations', ms: 100, interval: 1 }, '"interval" must be a whole number from 1024 to 1073741824'],
  [{ kind: 'allocations' }, '"ms" must be a whole number from 1 to 600000'],
  [{ kind: 'evaluate', code: 7 }, '"code" must be a string'],
  [{ kind: 'evaluate', code: 'x'.repeat(100_001) }, '"code" is longer than 100000 characters'],
  [{ kind: 'queue', place: '', act: 'look' }, '"name" must be a text like'],
  [{ kind: 'queue', name: 'a b', place: '', act: 'look' }, '"name" must be a text like'],
  [{ kind: 'queue', name: 'a', place: 'x'.repeat(1_001), act: 'look' }, '"place" is longer than 1000 characters'],
  [{ kind: 'queue', name: 'a', place: '', act: 'drain' }, '"act" must be one of count, look, retry, pause'],
  [{ kind: 'queue', name: 'a', place: '', act: 'retry', task: 'a b' }, '"task" must be a text like'],
];

describe('a question', () => {
  it.each(Object.entries(good))('is accepted unchanged: %s', (_kind, question) => {
    expect(parseQuestion(structuredClone(question), 'question')).toEqual(question);
  });

  it('keeps known fields only, and has defaults', () => {
    expect(parseQuestion({ kind: 'cpu', ms: 5, path: '/etc' }, 'question')).toEqual({
      kind: 'cpu',
      ms: 5,
      interval: 1_000,
    });
  });

  it.each(bad)('is refused with the reason: %j', (question, detail) => {
    expect(() => parseQuestion(question, 'question')).toThrow(detail);
  });
});

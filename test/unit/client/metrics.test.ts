import { expect, it } from 'vitest';
import { metricsOf } from '../../../src/client/metrics.ts';
import type { Connection } from '../../../src/ipc/client.ts';
import type { AnswerPart } from '../../../src/ipc/protocol.ts';
import type { AppView } from '../../../src/ipc/views.ts';
import { failure } from '../../../src/shared/errors.ts';
import { jobs } from '../../helpers/jobs-metric.ts';

/** A daemon whose processes answer by their pid; one without an answer has ended. */
function connectionTo(answers: Record<number, string>): Connection {
  let hear = (_part: AnswerPart) => {};
  const connection = {
    client: {
      async inspect({ id, pid, key }: { id: number; pid: number; key: number }) {
        const text = answers[pid];
        if (text === undefined) throw failure('CANNOT_INSPECT', { name: String(id), reason: 'it is not running' });
        hear({ key, text });
        return { pid, answered: true, startTime: null, attachable: false };
      },
    },
    onPart: (collect: typeof hear) => {
      hear = collect;
    },
    close: () => {},
  };
  return connection as unknown as Connection;
}

const app = (fields: Partial<AppView>) => ({ name: 'web', ...fields }) as unknown as AppView;
const process = (pid: number) => ({ id: pid, pid });

it('metrics leave out a process with an invalid answer', async () => {
  const connection = connectionTo({ 0: '[]', 1: JSON.stringify([jobs(2)]), 2: 'no JSON' });
  const apps = [app({ withMetrics: [0, 1, 2].map(process) })];
  const [web] = await metricsOf(
    async () => apps,
    async () => connection,
  );
  expect([web?.metrics, web?.silent]).toEqual([[jobs(2)], [2]]);
});

it('metrics are read again if a process has ended meanwhile, so that it is counted once', async () => {
  const connection = connectionTo({ 1: JSON.stringify([jobs(2)]) });
  const looks = [
    app({ withMetrics: [0, 1].map(process) }),
    app({ withMetrics: [process(1)], endedMetrics: [jobs(5)] }),
  ];
  const [web] = await metricsOf(
    async () => [looks.shift()!],
    async () => connection,
  );
  expect([web?.metrics, web?.silent, looks]).toEqual([[jobs(7)], [], []]);
  expect(web).not.toHaveProperty('endedMetrics');
});

it('a process that can never be reached is reported as silent', async () => {
  const apps = [app({ withMetrics: [process(0)], endedMetrics: [jobs(5)] })];
  const [web] = await metricsOf(
    async () => apps,
    async () => connectionTo({}),
  );
  expect([web?.metrics, web?.silent]).toEqual([[jobs(5)], [0]]);
});

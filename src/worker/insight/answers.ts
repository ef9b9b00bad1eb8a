// How the process answers each kind of question. src/ipc/questions.ts has the kinds.
import type { Question, QueueQuestion } from '../../ipc/questions.ts';
import { collections } from './collections.ts';
import { detach } from './detach.ts';
import { evaluate } from './evaluate.ts';
import { allocations, collectGarbage, snapshot } from './heap.ts';
import type { Inspection } from './inspection.ts';
import type { Answer } from './parts.ts';
import { activeResources } from './resources.ts';

/** The others are answered without this bundle. */
type Answered = Exclude<Question['kind'], 'turn' | 'stack'>;

/** What the app has told the worker about itself. */
export interface AppInsight {
  metrics(): object;
  queue(about: QueueQuestion): Promise<object>;
}

const answerers: {
  [K in Answered]: (
    about: Extract<Question, { kind: K }>,
    inspection: Inspection,
    app: AppInsight,
  ) => Answer | Promise<Answer>;
} = {
  resources: () => activeResources(),
  async cpu({ ms, interval }, inspection) {
    await inspection.post('Profiler.enable');
    await inspection.post('Profiler.setSamplingInterval', { interval });
    await inspection.post('Profiler.start');
    await inspection.wait(ms);
    return (await inspection.post<{ profile: object }>('Profiler.stop')).profile;
  },
  detach: ({ from }, inspection) => detach(from, inspection),
  allocations: ({ ms, interval }, inspection) => allocations(ms, interval, inspection),
  snapshot: (_, inspection) => snapshot(inspection),
  gc: (_, inspection) => collectGarbage(inspection),
  metrics: (_, __, app) => app.metrics(),
  collections: ({ above }, inspection) => collections(above, inspection),
  evaluate: ({ code }, inspection) => evaluate(code, inspection),
  queue: (about, _, app) => app.queue(about),
};

/** Rejects with the reason why there is no answer. */
export async function answer(about: Question, inspection: Inspection, app: AppInsight): Promise<Answer> {
  const answerer = answerers[about.kind as Answered] as (
    about: Question,
    inspection: Inspection,
    app: AppInsight,
  ) => Answer | Promise<Answer>;
  return answerer(about, inspection, app);
}

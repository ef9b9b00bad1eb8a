// The line about queues: what is to be done, and what has failed. Shown only where there are some.
import type { Paint } from '../../cli/render/paint.ts';
import { harmless } from '../../cli/render/text.ts';
import type { QueueView } from '../../ipc/app/views.ts';
import type { Model } from '../model.ts';
import { type Part, renderRow } from './row.ts';

export function renderQueuesLine({ queues, size }: Pick<Model, 'queues' | 'size'>, paint: Paint): string {
  return renderRow([['key', 'queues'], ...queues.flatMap(partsOf)], size.columns, paint);
}

function partsOf({ name, counts }: QueueView): Part[] {
  const head: Part = ['plain', `  ${harmless(name)} `];
  if (!counts) return [head, ['bad', 'no answer']];
  const { pending, running, failed, paused } = counts;
  return [
    head,
    ['plain', `${pending} pending, ${running} running`],
    ['bad', failed === 0 ? '' : `, ${failed} failed`],
    ['warning', paused ? ', paused' : ''],
  ];
}

// What has grown, as text: between two heap snapshots, and the memory of a process over time.
import type { ProcessView } from '../../ipc/views.ts';
import type { Grown } from '../../profile/snapshot/growth.ts';
import { renderDuration, renderSize } from '../../shared/units.ts';
import type { Paint } from './paint.ts';
import { harmless } from './text.ts';

export function renderGrowth(grown: readonly Grown[], paint: Paint): string {
  if (grown.length === 0) return 'nothing has grown';
  return grown
    .flatMap(({ name, before, after, retainers }) => [
      `${paint('key', harmless(name))}  +${after.count - before.count} objects (${before.count} → ${after.count}), +${renderSize(after.bytes - before.bytes)}`,
      ...retainers.map(({ way, count }) => `  ${paint('faint', `${count} kept by`)} ${harmless(way)}`),
    ])
    .join('\n');
}

/** `grows by 12.0mb an hour, reaches its limit in 5h` */
export function growthText({ perHour, left }: NonNullable<ProcessView['leak']>): string {
  const growth = `grows by ${renderSize(perHour)} an hour`;
  return left === null ? growth : `${growth}, reaches its limit in ${renderDuration(left)}`;
}

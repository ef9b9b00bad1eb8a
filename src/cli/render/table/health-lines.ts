// Renders the health of the apps, one line each.
import type { AppHealthView, HealthView } from '../../../ipc/views.ts';
import { count } from '../../../shared/units.ts';
import { printable } from '../text.ts';
import { padTo, widthOf } from '../width.ts';

/** Without `status`, only the apps. */
export function renderHealth({ status, apps }: Pick<HealthView, 'apps'> & { status?: HealthView['status'] }): string {
  const names = apps.map(({ name }) => printable(name));
  const width = Math.max(0, ...names.map(widthOf));
  const lines = apps.map((app, index) => `${padTo(names[index] ?? '', width)}  ${textOf(app)}`);
  return (status === undefined ? lines : [status, ...lines.map((line) => `  ${line}`)]).join('\n');
}

function textOf({ status, ready, wanted, restarts, giveup, problems = [] }: AppHealthView): string {
  return [
    `${ready} of ${wanted} ready`,
    status,
    ...(restarts > 0 ? [count(restarts, 'restart')] : []),
    ...(giveup === null ? [] : [printable(giveup)]),
    ...problems.map(printable),
  ].join(', ');
}

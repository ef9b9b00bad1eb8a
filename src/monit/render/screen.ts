// Renders the screen of `nsv monit`: one string for each row of the terminal.
import type { Paint } from '../../cli/render/paint.ts';
import { renderSize } from '../../shared/units.ts';
import { bindings } from '../keys.ts';
import type { Model } from '../model.ts';
import { areasOf } from './areas.ts';
import { renderDetailsPane } from './details.ts';
import { renderFooter } from './footer.ts';
import { renderList } from './list.ts';
import { renderLogs, renderLogsRule } from './logs.ts';
import { renderQueuesLine } from './queues.ts';
import { type Part, renderRow } from './row.ts';

export function renderScreen(model: Model, paint: Paint): string[] {
  const { rows } = model.size;
  const above = model.mode.kind === 'help' ? renderHelp(model, paint) : renderParts(model, paint);
  const shown = above.slice(0, rows - 1);
  const blank = Array<string>(Math.max(0, rows - 1 - shown.length)).fill('');
  return [...shown, ...blank, renderFooter(model, paint)];
}

function renderParts(model: Model, paint: Paint): string[] {
  const areas = areasOf(model);
  return [
    ...[renderSummary(model, paint)].slice(0, areas.summary),
    ...renderList(model, areas.head, areas.list, paint),
    ...[renderQueuesLine(model, paint)].slice(0, areas.queues),
    ...renderDetailsPane(model, paint).slice(0, areas.details),
    ...[renderLogsRule(model, paint)].slice(0, areas.rule),
    ...renderLogs(model, areas.logs, paint),
  ];
}

function renderSummary({ processes, size }: Model, paint: Paint): string {
  const count = (status: string) => processes.filter((process) => process.status === status).length;
  const sum = (figure: 'cpu' | 'memory') => processes.reduce((all, process) => all + (process[figure] ?? 0), 0);
  const errored = count('errored');
  const parts: Part[] = [
    ['key', 'nsv monit'],
    ['plain', `  ${processes.length} ${processes.length === 1 ? 'process' : 'processes'}, ${count('online')} online`],
    ['bad', errored === 0 ? '' : `, ${errored} errored`],
    ['plain', `  cpu ${Math.round(sum('cpu'))}%  memory ${renderSize(sum('memory'))}`],
  ];
  return renderRow(parts, size.columns, paint);
}

function renderHelp({ size }: Model, paint: Paint): string[] {
  const width = Math.max(...bindings.map(({ shown }) => shown.length));
  return bindings.map(({ shown, about }) =>
    renderRow(
      [
        ['key', `${shown.padEnd(width)}  `],
        ['plain', about],
      ],
      size.columns,
      paint,
    ),
  );
}

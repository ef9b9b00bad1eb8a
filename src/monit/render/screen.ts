// Renders the screen of `nsv monit`: one string for each row of the terminal.
import type { Paint } from '../../cli/render/paint.ts';
import { harmless } from '../../cli/render/text.ts';
import { widthOf } from '../../cli/render/width.ts';
import type { QueueView } from '../../ipc/app/views.ts';
import { count, renderSize } from '../../shared/units.ts';
import { bindings } from '../keys.ts';
import { labelOf, type Mode, type Model } from '../model.ts';
import { areasOf } from './areas.ts';
import { renderDetailsPane } from './details.ts';
import { renderList } from './list.ts';
import { renderLogs, renderLogsRule } from './logs.ts';
import { renderRow, type TextPart } from './row.ts';

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
  const having = (status: string) => processes.filter((process) => process.status === status).length;
  const sum = (figure: 'cpu' | 'memory') => processes.reduce((all, process) => all + (process[figure] ?? 0), 0);
  const errored = having('errored');
  const parts: TextPart[] = [
    ['key', 'nsv monit'],
    ['plain', `  ${count(processes.length, 'process')}, ${having('online')} online`],
    ['bad', errored === 0 ? '' : `, ${errored} errored`],
    ['plain', `  cpu ${Math.round(sum('cpu'))}%  memory ${renderSize(sum('memory'))}`],
  ];
  return renderRow(parts, size.columns, paint);
}

function renderHelp({ size }: Model, paint: Paint): string[] {
  const width = Math.max(...bindings.map(({ shown }) => shown.length));
  return bindings.map(({ shown, about }) => {
    const parts: TextPart[] = [
      ['key', `${shown.padEnd(width)}  `],
      ['plain', about],
    ];
    return renderRow(parts, size.columns, paint);
  });
}

function renderQueuesLine({ queues, size }: Pick<Model, 'queues' | 'size'>, paint: Paint): string {
  return renderRow([['key', 'queues'], ...queues.flatMap(partsOf)], size.columns, paint);
}

function partsOf({ name, counts }: QueueView): TextPart[] {
  const head: TextPart = ['plain', `  ${harmless(name)} `];
  if (!counts) return [head, ['bad', 'no answer']];
  const { pending, running, failed, paused } = counts;
  return [
    head,
    ['plain', `${pending} pending, ${running} running`],
    ['bad', failed === 0 ? '' : `, ${failed} failed`],
    ['warning', paused ? ', paused' : ''],
  ];
}

function renderFooter(model: Model, paint: Paint): string {
  const { columns } = model.size;
  return renderRow(asked(model, model.mode) ?? withHints(news(model), columns), columns, paint);
}

function asked({ processes }: Model, mode: Mode): TextPart[] | undefined {
  switch (mode.kind) {
    case 'question': {
      const process = processes.find(({ id }) => id === mode.id);
      return [['warning', `${mode.request} ${process ? labelOf(process) : mode.id}? y/n`]];
    }
    case 'filter':
      return [
        ['key', `/${mode.text}`],
        ['chosen', ' '],
        ['faint', '  Enter: apply  Esc: clear'],
      ];
    case 'help':
      return [['faint', 'press any key to go back']];
    case 'watch':
      return undefined;
  }
}

/** Shows both the result of a request and the fact that the list is out of date: neither may hide the other. */
function news({ trouble, notice }: Model): TextPart[] {
  return [
    ...(notice ? [[notice.tone, `${notice.text}  `] as const] : []),
    ...(trouble === undefined ? [] : [['bad', `${trouble}  `] as const]),
  ];
}

/** Adds as many hints as fit. */
function withHints(parts: TextPart[], columns: number): TextPart[] {
  let left = columns - parts.reduce((sum, [, text]) => sum + widthOf(text), 0);
  const hints = bindings.flatMap(({ keys: [key = ''], hint }): TextPart[] => {
    if (hint === undefined) return [];
    const shown = key === ' ' ? 'space' : key;
    left -= shown.length + 1 + hint.length + 2;
    return left < -2
      ? []
      : [
          ['key', shown],
          ['faint', ` ${hint}  `],
        ];
  });
  return [...parts, ...hints];
}

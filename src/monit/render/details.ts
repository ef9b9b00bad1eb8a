// The pane of the selected process: its identity, its usage over the last minute, and other details.
import { exitText } from '../../cli/render/deaths/words.ts';
import type { Paint } from '../../cli/render/paint.ts';
import type { ProcessView } from '../../ipc/views.ts';
import { count, renderDuration, renderSize } from '../../shared/units.ts';
import { labelOf, type Model, mostFigures, selectedProcess } from '../model.ts';
import { renderRow, renderRule, type TextPart } from './row.ts';

/** Three rows. */
export function renderDetailsPane(model: Model, paint: Paint): string[] {
  const { columns } = model.size;
  const process = selectedProcess(model);
  if (!process) return [renderRule([['faint', 'no process selected']], columns, paint), '', ''];
  return [
    renderRule(
      [
        ['key', labelOf(process)],
        ['plain', `  ${stateOf(process)}`],
      ],
      columns,
      paint,
    ),
    renderRow(figuresOf(model, process), columns, paint),
    renderRow(process.reason === null ? factsOf(process) : [['bad', process.reason]], columns, paint),
  ];
}

function stateOf({ status, uptime, pid }: ProcessView): string {
  return [
    uptime === null ? status : `${status} for ${renderDuration(uptime)}`,
    ...(pid === null ? [] : [`pid ${pid}`]),
  ].join(', ');
}

/** The CPU graph is scaled to one core. */
function figuresOf({ history, size }: Model, { id, cpu, memory }: ProcessView): TextPart[] {
  const figures = history.get(id) ?? { cpu: [], memory: [] };
  const words = 'cpu   100%  memory   1023.9mb'.length;
  const width = Math.max(0, Math.min(mostFigures, Math.floor((size.columns - words) / 2)));
  return [
    ['faint', 'cpu '],
    ['green', sparkline(figures.cpu, width, 100)],
    ['plain', ` ${(cpu === null ? '-' : `${Math.round(cpu)}%`).padEnd(4)}  `],
    ['faint', 'memory '],
    ['cyan', sparkline(figures.memory, width, scaleOf(figures.memory))],
    ['plain', ` ${memory === null ? '-' : renderSize(memory)}`],
  ];
}

/** Bytes at which a bar of memory is full: the next power of two above the maximum of the minute. */
function scaleOf(figures: readonly number[]): number {
  return 2 ** (Math.floor(Math.log2(Math.max(1, ...figures))) + 1);
}

function factsOf({ ports, namespace, mode, instances, restarts, lastExit }: ProcessView): TextPart[] {
  const facts = [
    ...(ports.length > 0 ? [`listens on ${ports.join(', ')}`] : []),
    count(restarts, 'restart'),
    ...(lastExit ? [`last exit: ${exitText(lastExit)}`] : []),
    `${mode} mode, ${count(instances, 'instance')}`,
    `namespace ${namespace}`,
  ];
  return [['faint', facts.join(' · ')]];
}

const bars = [...'▁▂▃▄▅▆▇█'];

/** The last `width` numbers, newest on the right. A bar is full at `most`, or at the largest number if that is more. */
function sparkline(figures: readonly number[], width: number, most = 0): string {
  const shown = width > 0 ? figures.slice(-width) : [];
  const top = Math.max(most, ...shown);
  return shown
    .map((figure) => bars[top > 0 ? Math.round((figure / top) * (bars.length - 1)) : 0])
    .join('')
    .padStart(width);
}

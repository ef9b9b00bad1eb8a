// The last row: a question or a problem, else key hints.
import type { Paint } from '../../cli/render/paint.ts';
import { widthOf } from '../../cli/render/width.ts';
import { bindings } from '../keys.ts';
import { labelOf, type Mode, type Model } from '../model.ts';
import { type Part, renderRow } from './row.ts';

export function renderFooter(model: Model, paint: Paint): string {
  const { columns } = model.size;
  return renderRow(asked(model, model.mode) ?? withHints(news(model), columns), columns, paint);
}

function asked({ processes }: Model, mode: Mode): Part[] | undefined {
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
function news({ trouble, notice }: Model): Part[] {
  return [
    ...(notice ? [[notice.tone, `${notice.text}  `] as const] : []),
    ...(trouble === undefined ? [] : [['bad', `${trouble}  `] as const]),
  ];
}

/** Adds as many hints as fit. */
function withHints(parts: Part[], columns: number): Part[] {
  let left = columns - parts.reduce((sum, [, text]) => sum + widthOf(text), 0);
  const hints = bindings.flatMap(({ keys: [key = ''], hint }): Part[] => {
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

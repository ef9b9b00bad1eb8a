// Renders an event as one line.
import type { EventView } from '../../ipc/views.ts';
import { renderDuration } from '../../shared/units.ts';
import type { Paint, Tone } from './paint.ts';
import { printable } from './text.ts';

const tones: Partial<Record<EventView['type'], Tone>> = {
  online: 'good',
  reload: 'good',
  restart: 'warning',
  late: 'warning',
  overdue: 'bad',
  'cut short': 'bad',
  'cut off': 'bad',
  unspawnable: 'bad',
  giveup: 'bad',
  'hook failed': 'bad',
  'log trouble': 'bad',
};

/** What a type is called for people, where its own name says too little. */
const labels: Partial<Record<EventView['type'], string>> = {
  late: 'not ready in time',
  spent: 'request limit reached',
  overdue: 'killed',
  'cut short': 'requests cut off',
  'cut off': 'IPC channel closed',
  unspawnable: 'failed to start',
  'log trouble': 'log problem',
  'log trouble over': 'log problem solved',
};

/** `2026-01-31T09:00:00.000Z 0|web|0 exit pid 4242, code 3` */
export function renderEvent(event: EventView, paint: Paint): string {
  const { type, at, id, app, slot } = event;
  const subject = [id, app && printable(app), slot].filter((part) => part !== undefined).join('|');
  const details = detailsOf(event).join(', ');
  const line = [
    paint('faint', new Date(at).toISOString()),
    ...(subject ? [paint('cyan', subject)] : []),
    paint(tones[type] ?? 'plain', labels[type] ?? type),
  ];
  return [...line, ...(details ? [printable(details)] : [])].join(' ');
}

function detailsOf(event: EventView): string[] {
  const { pid, exit, asked, delay, reason, requests, instances, file, to, files = [], detail, message } = event;
  return [
    ...(pid === undefined ? [] : [`pid ${pid}`]),
    ...(exit ? [exit.signal === null ? `code ${exit.code}` : `signal ${exit.signal}`] : []),
    ...(asked ? ['on request'] : []),
    ...(delay ? [`in ${renderDuration(delay)}`] : []),
    ...(requests === undefined ? [] : [`requests ${requests}`]),
    ...(instances === undefined ? [] : [`instances ${instances}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(file === undefined ? [] : [to === undefined ? file : `${file} to ${to}`]),
    ...files,
    ...(detail === undefined ? [] : [detail]),
    ...(message ? [`${message.type} ${JSON.stringify(message.data ?? null)}`] : []),
  ];
}

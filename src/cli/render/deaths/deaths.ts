// What `nsv deaths` prints: the list, with one line for each record, made to fit a terminal, and complete in a pipe; or all that is known
// about one death.
import { type DeathCause, type DeathFrame, deathCauses } from '../../../ipc/records/deaths.ts';
import type { DeathView } from '../../../ipc/views.ts';
import { isOwnCode } from '../../../shared/code/own-code.ts';
import { count, renderDuration, renderSize } from '../../../shared/units.ts';
import { type LabelledLine, renderLabelled } from '../labelled.ts';
import type { Paint, Tone } from '../paint.ts';
import { renderFrame } from '../stack.ts';
import { type CellColumn, fillColumns, fitted, paintRows, titlesOf, withoutFrames } from '../table/cells.ts';
import type { Terminal } from '../terminal.ts';
import { harmless, printable } from '../text.ts';
import { cutTo } from '../width.ts';
import { causeText, evidenceOf, exitText } from './words.ts';

/** Columns of the terminal that the last column gets at least. */
const leastEvidence = 24;

const columns: readonly CellColumn<DeathView>[] = [
  { title: 'app', text: ({ app }) => harmless(app), tone: () => 'key' },
  { title: '#', text: ({ number }) => String(number), align: 'right' },
  { title: 'when', rank: 1, text: ({ lastAt }) => renderTime(lastAt) },
  { title: 'times', text: ({ times }) => String(times), align: 'right' },
  { title: 'slots', rank: 4, text: ({ slots }) => slots.join(',') },
  { title: 'uptime', rank: 3, text: ({ uptime }) => renderDuration(uptime), align: 'right' },
  { title: 'cause', text: (death) => causeText(death), tone: ({ cause }) => toneOf(cause) },
  { title: 'next', rank: 2, text: ({ next }) => next },
];

export function renderDeaths(deaths: readonly DeathView[], { tty, columns: room }: Terminal, paint: Paint): string {
  const all = fillColumns(deaths, columns);
  const filled = tty ? fitted(all, room - leastEvidence, 2) : all;
  const used = filled.reduce((sum, { width }) => sum + width + 2, 0);
  const rest = tty ? Math.max(leastEvidence, room - used) : Number.POSITIVE_INFINITY;
  const evidence = deaths.map((death) => cutTo(harmless(evidenceOf(death)), rest));
  const rows = paintRows(filled, deaths, paint).map((cells, row) => [...cells, evidence[row]!]);
  return withoutFrames([[...titlesOf(filled), 'what happened'], ...rows]);
}

function toneOf(cause: DeathCause): Tone {
  if (cause === 'asked' || cause === 'age' || cause === 'requests') return 'faint';
  return cause === 'exit' || cause === 'unknown' ? 'warning' : 'bad';
}

/** `2026-01-31 09:00:00`, in UTC as everywhere in nsv. */
function renderTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

export function renderDeath(death: DeathView, paint: Paint): string {
  const { error, stack, output } = death;
  return [
    paint('key', printable(`death ${death.number} of ${death.app}`)),
    ...renderLabelled(factsOf(death), paint),
    ...(error ? ['', `  ${paint('bad', printable(error.headline))}`, ...framesOf(error.frames, paint)] : []),
    ...(stack ? ['', '  where it was', ...framesOf(stack, paint)] : []),
    ...(output.length > 0 ? ['', '  last output', ...output.map((line) => `    ${printable(line)}`)] : []),
  ].join('\n');
}

function factsOf(death: DeathView): LabelledLine[] {
  const { cause, by, detail, exit, overdue, usage, cutShort, times, at, lastAt, slots } = death;
  return [
    ['cause', `${causeText(death)}: ${deathCauses[cause]}`],
    ['evidence', detail ?? ''],
    ['asked by', by ?? ''],
    ['exit', `${exitText(exit)}${overdue ? ', killed at the kill timeout' : ''}`],
    ['when', new Date(at).toISOString()],
    ['times', times > 1 ? `${times}, the last time at ${new Date(lastAt).toISOString()}` : ''],
    [slots.length > 1 ? 'slots' : 'slot', slots.join(', ')],
    ['id, pid', `${death.id}, ${death.pid}`],
    ['uptime', renderDuration(death.uptime)],
    [
      'memory',
      usage
        ? `${renderSize(usage.memory)}, cpu ${Math.round(usage.cpu)}%, ${renderDuration(Math.max(0, at - usage.at))} before`
        : '',
    ],
    ['cut short', cutShort > 0 ? `${count(cutShort, 'request')} in flight` : ''],
    ['next', death.next],
  ];
}

/** The user's own calls first, as it is these that can be changed. */
function framesOf(frames: readonly DeathFrame[], paint: Paint): string[] {
  const own = frames.filter(({ file }) => isOwnCode(file));
  const others = frames.filter(({ file }) => !isOwnCode(file));
  const line = (frame: DeathFrame) => `    at ${renderFrame(frame)}`;
  return [...own.map(line), ...others.map((frame) => paint('faint', line(frame)))];
}

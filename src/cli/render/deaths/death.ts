// Everything that is known about one death.
import { type DeathFrame, deathCauses } from '../../../ipc/records/deaths.ts';
import type { DeathView } from '../../../ipc/views.ts';
import { isOwnCode } from '../../../shared/code/own-code.ts';
import { renderDuration, renderSize } from '../../../shared/units.ts';
import type { Paint } from '../paint.ts';
import { count, printable } from '../text.ts';
import { causeText, exitText } from './words.ts';

export function renderDeath(death: DeathView, paint: Paint): string {
  const { error, stack, output } = death;
  const rows = factsOf(death).filter(([, text]) => text !== '');
  const width = Math.max(...rows.map(([label]) => label.length));
  return [
    paint('key', printable(`death ${death.number} of ${death.app}`)),
    ...rows.map(([label, text]) => `  ${paint('faint', label.padEnd(width))}  ${printable(text)}`),
    ...(error ? ['', `  ${paint('bad', printable(error.headline))}`, ...framesOf(error.frames, paint)] : []),
    ...(stack ? ['', '  where it was', ...framesOf(stack, paint)] : []),
    ...(output.length > 0 ? ['', '  last output', ...output.map((line) => `    ${printable(line)}`)] : []),
  ].join('\n');
}

type Fact = readonly [label: string, text: string];

function factsOf(death: DeathView): Fact[] {
  const { cause, by, detail, exit, overdue, usage, cutShort, times, at, lastAt, slots } = death;
  return [
    ['cause', `${causeText(death)}: ${deathCauses[cause]}`],
    ['evidence', detail ?? ''],
    ['asked by', by ?? ''],
    ['exit', `${exitText(exit)}${overdue ? ', killed at the kill timeout' : ''}`],
    ['when', timeOf(at)],
    ['times', times > 1 ? `${times}, the last time at ${timeOf(lastAt)}` : ''],
    [slots.length > 1 ? 'slots' : 'slot', slots.join(', ')],
    ['id, pid', `${death.id}, ${death.pid}`],
    ['uptime', renderDuration(death.uptime)],
    ['memory', usage ? `${renderSize(usage.memory)}, cpu ${Math.round(usage.cpu)}%, ${ago(at - usage.at)} before` : ''],
    ['cut short', cutShort > 0 ? `${count(cutShort, 'request')} in flight` : ''],
    ['next', death.next],
  ];
}

/** The user's own calls first, as it is these that can be changed. */
function framesOf(frames: readonly DeathFrame[], paint: Paint): string[] {
  const own = frames.filter(({ file }) => isOwnCode(file));
  const others = frames.filter(({ file }) => !isOwnCode(file));
  const line = (frame: DeathFrame) => `    at ${printable(frameText(frame))}`;
  return [...own.map(line), ...others.map((frame) => paint('faint', line(frame)))];
}

function frameText({ function: name, file, line }: DeathFrame): string {
  const place = line === null ? file : `${file}:${line}`;
  return name === '' ? place : `${name} (${place})`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}

function ago(ms: number): string {
  return renderDuration(Math.max(0, ms));
}

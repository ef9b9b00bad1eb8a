// Renders where processes are.
import type { SourceFrame } from '../../client/stacks/source-maps.ts';
import type { StackView } from '../../client/stacks/stack.ts';
import { describeResources } from '../../ipc/records/resources.ts';
import type { ThreadStanding } from '../../os/blocked/standing.ts';
import type { Paint } from './paint.ts';
import { printable } from './text.ts';

/** The states of a thread, proc_pid_stat(5). */
const states: Record<string, string> = {
  R: 'running',
  S: 'sleeping',
  D: 'waiting for a disk or a device',
  T: 'stopped by a signal',
  t: 'stopped by a debugger',
};

export function renderStack(view: StackView, paint: Paint): string {
  const { name, slot, pid, problem, frames, kernel } = view;
  const subject = paint('key', `${printable(name)} ${slot}`);
  if (view.state === 'unknown') return `${subject}: ${printable(problem ?? '')}`;
  return [
    `${subject} (pid ${pid}) ${standing(view)}`,
    ...withoutRepetition(frames.map((frame) => `    at ${renderFrame(frame)}`)),
    ...(problem === null ? [] : [`    no stack: ${printable(problem)}`]),
    ...(kernel && frames.length === 0 ? renderKernel(kernel).map((line) => `    ${paint('faint', line)}`) : []),
  ].join('\n');
}

function standing({ state, busy, waitsFor, frames }: StackView): string {
  if (state === 'idle') return `is idle${waiting(waitsFor)}`;
  if (state === 'busy')
    return `is busy: JavaScript runs ${busy} % of the time${frames.length > 0 ? ', mostly here' : ''}`;
  return `is blocked: its event loop does not turn${frames.length > 0 ? '. It is here' : ''}`;
}

function waiting(waitsFor: Record<string, number>): string {
  const resources = printable(describeResources(waitsFor));
  return resources === '' ? '' : `, and waits for ${resources}`;
}

/** A recursion is shown as one line with a count. */
function withoutRepetition(lines: string[]): string[] {
  const runs: { line: string; count: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.line === line) last.count += 1;
    else runs.push({ line, count: 1 });
  }
  return runs.map(({ line, count }) => (count > 1 ? `${line}, ${count} times` : line));
}

export function renderFrame(frame: Pick<SourceFrame, 'function' | 'file' | 'line'>): string {
  const place = frame.line === null ? frame.file : `${frame.file}:${frame.line}`;
  if (place === '') return `${printable(frame.function || '(anonymous)')} (native)`;
  return printable(frame.function ? `${frame.function} (${place})` : place);
}

function renderKernel({ state, waitsIn, cpuTime, children }: ThreadStanding): string[] {
  const where = waitsIn === null ? '' : ` in ${waitsIn}`;
  return [
    `main thread: ${states[state] ?? `state ${state}`}${where}; ${(cpuTime / 1_000).toFixed(1)} s of CPU time used`,
    ...children.map(({ pid, command }) => `child process ${pid}: ${printable(command)}`),
  ];
}

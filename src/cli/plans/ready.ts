// Says which apps are ready and where they serve, and which of them a reload cannot replace without a gap.
import { isBinPath } from '../../config/program/scripts/bins.ts';
import type { Client } from '../../ipc/protocol.ts';
import type { AppView, ProcessView } from '../../ipc/views.ts';
import { realClock } from '../../shared/clock.ts';
import { isFailure } from '../../shared/errors.ts';
import { count, firstFew } from '../../shared/units.ts';
import type { Output } from '../command.ts';
import { printProcesses } from '../print.ts';
import { printable } from '../render/text.ts';

/** With more, a line for each would hide the table. */
const mostLines = 5;

/** Runs a command that returns when its apps are ready. Prints a line for each app, and the table. */
export async function printReady(out: Output, run: () => Promise<ProcessView[]>): Promise<ProcessView[]> {
  const begun = realClock.now();
  const processes = await run();
  const took = realClock.now() - begun;
  const ready = processes.filter(({ status, unready }) => status === 'online' && unready === undefined);
  const names = [...new Set(ready.map(({ name }) => name))];
  if (!out.json && names.length <= mostLines) {
    for (const name of names) {
      const own = ready.filter((process) => process.name === name);
      out.write(printable(readyLine(name, own, took)));
    }
  }
  await printProcesses(out, processes);
  const notes = processes.flatMap(({ name, problems = [] }) =>
    problems.flatMap(({ about, detail }) => (about === 'ready' ? `nsv: ${name}: ${detail}` : [])),
  );
  for (const note of new Set(notes)) out.note(printable(note));
  return processes;
}

/** `web is ready on http://localhost:3000 (4 processes, 480 ms)`, or that it runs, as far as more is not known. */
export function readyLine(name: string, processes: readonly ProcessView[], ms: number): string {
  const urls = [...new Set(processes.flatMap(({ urls = [] }) => urls))];
  const ports = [...new Set(processes.flatMap((process) => process.ports))];
  const where = urls.length > 0 ? urls : ports;
  const time = ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1_000)} s`;
  return `${name} is ${stateOf(processes, where)} (${count(processes.length, 'process')}, ${time})`;
}

function stateOf(processes: readonly ProcessView[], where: readonly string[]): string {
  if (where.length > 0) return `ready on ${where.join(', ')}`;
  return processes.some(({ silent }) => silent) ? 'running without a port' : 'ready';
}

/** The apps of these processes; none if one of them was deleted in the meantime. */
export async function describeApps(client: Client, processes: readonly ProcessView[]): Promise<AppView[]> {
  const targets = [...new Set(processes.map(({ name }) => name))];
  if (targets.length === 0) return [];
  try {
    return await client.describe({ targets });
  } catch (error) {
    if (isFailure(error, 'NO_SUCH_APP')) return [];
    throw error;
  }
}

/** Notes which of these apps share no socket with their next process, so that a reload stops the old one first. */
export function noteRestarted(out: Output, apps: readonly AppView[]): void {
  const alone = apps.filter(bindsByItself).map(({ spec }) => spec.name);
  if (alone.length > 0)
    out.note(
      `nsv: ${firstFew(alone)} ${alone.length === 1 ? 'was' : 'were'} down for a moment; to reload without a gap, start the server's own file, or use --listen`,
    );
}

/** A program of a package may start another process, which listens. */
function bindsByItself({ spec, sockets, processes }: AppView): boolean {
  if (!spec.node) return spec.listen.length === 0;
  return isBinPath(spec.script) && sockets.length === 0 && processes.some(({ ports }) => ports.length > 0);
}

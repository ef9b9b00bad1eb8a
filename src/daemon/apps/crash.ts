// Tells a failed start by the error that has ended its processes. Pure.
import type { DeathFrame } from '../../ipc/records/deaths.ts';
import { isOwnCode } from '../../shared/code/own-code.ts';
import { renderDuration } from '../../shared/units.ts';
import type { LastDeath } from '../process/death/death.ts';

const mostCalls = 3;

/** Undefined if the processes have printed no error. `details`: where it was in the user's own code. */
export function crashOf({
  about,
  times,
  at,
  lastAt,
  frames,
}: LastDeath): { reason: string; details: string[] } | undefined {
  if (frames.length === 0) return undefined;
  const often = times === 1 ? '' : ` ${times} times in ${renderDuration(Math.max(1, lastAt - at))}`;
  const own = frames.filter(({ file }) => isOwnCode(file));
  return { reason: `it crashed${often}. Last error: ${about}`, details: own.slice(0, mostCalls).map(callText) };
}

/** As in a stack, so that a client can map it to the sources. */
function callText({ function: name, file, line, column }: DeathFrame): string {
  const place = [file, line, column].filter((part) => part !== null).join(':');
  return `at ${name === '' ? place : `${name} (${place})`}`;
}

// Selects records of deaths for a client.
import type { Params } from '../../ipc/protocol.ts';
import type { DeathView } from '../../ipc/records/death-views.ts';
import type { Selection } from '../apps/operations.ts';
import type { Deaths } from '../deaths/deaths.ts';

/** Calls of a stack in a record without details. */
const fewFrames = 3;

/** Oldest first. Of an app that is selected as a whole, also those in slots that it no longer has. */
export function deathsOf(
  selections: readonly Selection[],
  deaths: Pick<Deaths, 'of'>,
  { number, details }: Omit<Params<'deaths'>, 'targets'>,
): DeathView[] {
  return selections
    .flatMap(({ group, slots }) => {
      const isWhole = slots.length === group.processes.length;
      return deaths.of(group.name).filter((death) => isWhole || death.slots.some((slot) => slots.includes(slot)));
    })
    .filter((death) => number === undefined || death.number === number)
    .sort((one, other) => one.lastAt - other.lastAt)
    .map((death) => (details ? death : shortened(death)));
}

function shortened(death: DeathView): DeathView {
  const { error, stack } = death;
  return {
    ...death,
    error: error && { ...error, frames: error.frames.slice(0, fewFrames) },
    stack: stack?.slice(0, fewFrames) ?? null,
    output: [],
  };
}

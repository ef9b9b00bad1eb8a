// Why a process ends, or has ended, as it was written down.
import { constants } from 'node:os';
import { type DeathCause, type DeathFrame, deathCauses, type EndReason } from '../../ipc/records/deaths.ts';
import type { Exit } from '../../ipc/views.ts';
import { among, array, natural, orAbsent, orNull, record, type Shape, string, time } from '../../shared/shapes.ts';
import type { LastDeath } from '../process/death/death.ts';

export const deathCause = among(...(Object.keys(deathCauses) as DeathCause[]));

export const exit: Shape<Exit> = record({
  code: orNull(natural),
  signal: orNull(among(...(Object.keys(constants.signals) as NodeJS.Signals[]))),
});

const frame: Shape<DeathFrame> = record({
  function: string(),
  file: string(),
  line: orNull(natural),
  column: orNull(natural),
});

export const frames = array(frame);

export const endReason: Shape<EndReason> = record({
  cause: deathCause,
  by: orAbsent(string()),
  detail: orAbsent(string()),
  stack: orAbsent(frames),
});

export const lastDeath: Shape<LastDeath> = record({
  cause: deathCause,
  about: string(),
  times: natural,
  at: time,
  lastAt: time,
  frames,
  headline: orNull(string()),
  exit,
  output: array(string()),
  key: string(),
});

// Parses what a rotator says that runs as another user.
import type { Rotated, RotationProblem, RotationReport } from './rotator-messages.ts';

/** Throws a TypeError. Returns only what is known. */
export function parseRotationReport(said: unknown): RotationReport {
  const { type, id, result, problem, files, detail } = objectOf(said);
  switch (type) {
    case 'stopping':
    case 'continued':
      return { type };
    case 'done':
      return { type, id: numberOf(id), result: resultOf(result) };
    case 'failed':
      return { type, id: numberOf(id), problem: problemOf(problem) };
    case 'deleted':
      if (!Array.isArray(files)) throw new TypeError('files');
      return { type, files: files.map(textOf) };
    case 'trouble':
      return { type, detail: textOf(detail) };
    default:
      throw new TypeError('type');
  }
}

function resultOf(said: unknown): Rotated {
  const { to, bytes, stopped } = objectOf(said);
  return { to: to === null ? null : textOf(to), bytes: numberOf(bytes), stopped: numberOf(stopped) };
}

function problemOf(said: unknown): RotationProblem {
  const { detail, later } = objectOf(said);
  return { detail: textOf(detail), later: later === true };
}

function objectOf(said: unknown): Record<string, unknown> {
  if (typeof said !== 'object' || said === null) throw new TypeError('not an object');
  return said as Record<string, unknown>;
}

function numberOf(said: unknown): number {
  if (typeof said === 'number' && Number.isFinite(said) && said >= 0) return said;
  throw new TypeError('not a number');
}

/** Characters. */
const longest = 4096;

function textOf(said: unknown): string {
  if (typeof said === 'string') return said.slice(0, longest);
  throw new TypeError('not a string');
}

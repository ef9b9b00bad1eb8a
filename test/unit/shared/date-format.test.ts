import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dateFormatter, isoFormat, unknownTokens } from '../../../src/shared/date-format.ts';

let zone: string | undefined;

beforeEach(() => {
  zone = process.env.TZ;
});

afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

function formatted(format: string, time: string, timeZone = 'UTC'): string {
  process.env.TZ = timeZone;
  return dateFormatter(format)(Date.parse(time));
}

describe('a date', () => {
  const evening = '2026-03-05T20:07:09.048Z';

  it.each([
    ['YYYY-MM-DD HH:mm:ss.SSS', '2026-03-05 20:07:09.048'],
    ['YY M D H m s S SS', '26 3 5 20 7 9 0 04'],
    ['MMMM MMM dddd ddd dd d', 'March Mar Thursday Thu Th 4'],
    ['hh:mm A, h a', '08:07 PM, 8 pm'],
    ['X x', '1772741229 1772741229048'],
    ['[at YYYY] HH[h]', 'at YYYY 20h'],
    ['DD/MM/YYYY, ü', '05/03/2026, ü'],
  ])('is formatted as %s', (format, expected) => {
    expect(formatted(format, evening)).toBe(expected);
  });

  it('has twelve hours at midnight', () => {
    expect(formatted('HH H hh h a', '2024-12-30T00:00:00.000Z')).toBe('00 0 12 12 am');
  });

  it.each([
    ['UTC', '2026-07-05T20:07:09.048+00:00 +0000'],
    ['Europe/Berlin', '2026-07-05T22:07:09.048+02:00 +0200'],
    ['America/St_Johns', '2026-07-05T17:37:09.048-02:30 -0230'],
  ])('is in the time of %s', (timeZone, expected) => {
    expect(formatted(`${isoFormat} ZZ`, '2026-07-05T20:07:09.048Z', timeZone)).toBe(expected);
  });

  it.each([
    [1, '1st'],
    [2, '2nd'],
    [3, '3rd'],
    [11, '11th'],
    [12, '12th'],
    [13, '13th'],
    [21, '21st'],
    [30, '30th'],
  ])('has ordinals: %i', (day, expected) => {
    expect(formatted('Do', `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`)).toBe(expected);
  });
});

describe('a format', () => {
  it.each([
    ['YYYY-MM-DDTHH:mm:ss.SSSZ', []],
    ['yyyy-MM-dd', ['yyyy']],
    ['GGGG-WW-E', ['GGGG', 'WW', 'E']],
    ['DD n DD nn [n] YYYYY', ['n', 'nn', 'YYYYY']],
  ])('has unknown letters reported: %s', (format, expected) => {
    expect(unknownTokens(format)).toEqual(expected);
  });
});

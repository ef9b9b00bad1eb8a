import { describe, expect, it } from 'vitest';
import { allRotations, isDraft, rotatedName, rotationsOf } from '../../../src/shared/rotations.ts';

const at = Date.UTC(2026, 10, 21, 18, 20, 5, 123);
const name = 'web-0-out.log.2026-11-21T18-20-05-123Z';

describe('the name of a rotated file', () => {
  it('has the time after the name of the log, to the millisecond, in UTC', () => {
    expect(rotatedName('/logs/web-0-out.log', at)).toBe(`/logs/${name}`);
  });

  it('sorts by age', () => {
    const times = [at, at + 1, at + 900, at + 86_400_000, at + 4e11];
    const names = times.map((time) => rotatedName('web.log', time));
    expect(names.toSorted()).toEqual(names);
  });
});

describe('the rotations of a log', () => {
  it('are listed newest first, compressed or not, without any other files', () => {
    const older = rotatedName('web-0-out.log', at - 1);
    const names = [
      `${older}.gz`,
      'web-0-out.log',
      'web-0-out.log.1',
      'web-0-out.log.2026-13-41T18-20-05-123Z',
      `${name}.part`,
      `${name}.gz.part`,
      `x${name}`,
      `web-10-out.log.2026-11-21T18-20-05-123Z`,
      name,
    ];
    expect(rotationsOf('/logs/web-0-out.log', names)).toEqual([
      { name, at, isCompressed: false },
      { name: `${older}.gz`, at: at - 1, isCompressed: true },
    ]);
  });

  it('are listed once while they are being compressed', () => {
    expect(rotationsOf('web-0-out.log', [`${name}.gz`, name])).toEqual([{ name, at, isCompressed: false }]);
  });

  it('are found for all logs without their names', () => {
    const other = rotatedName('gone-err.log', at + 5);
    expect(allRotations([name, 'web.log', `${other}.gz`, `${name}.part`]).map((found) => found.name)).toEqual([
      `${other}.gz`,
      name,
    ]);
  });

  it.each([
    [`${name}.part`, true],
    [`${name}.gz.part`, false],
    [name, false],
    ['web-0-out.log.part', false],
    ['other.log.2026-11-21T18-20-05-123Z.part', false],
  ])('have drafts of their own form: %s is one: %s', (file, expected) => {
    expect(isDraft('/logs/web-0-out.log', file)).toBe(expected);
  });
});

import { expect, it } from 'vitest';
import { parameters } from '../../../src/ipc/parameters.ts';

it.each<[given: unknown, taken: object]>([
  [undefined, { force: false }],
  [{ auto: false }, { auto: false, force: false }],
  [{ empty: true }, { empty: true, force: false }],
  [
    { auto: true, force: true },
    { auto: true, force: true },
  ],
])('save accepts %j', (given, taken) => {
  expect(parameters.save(given, 'parameters')).toEqual(taken);
});

it('save rejects a flag that is not a boolean', () => {
  expect(() => parameters.save({ force: 'yes' }, 'parameters')).toThrow('"force" must be true or false');
});

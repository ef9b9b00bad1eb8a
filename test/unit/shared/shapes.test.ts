import { describe, expect, it } from 'vitest';
import {
  among,
  amount,
  array,
  bool,
  isTrue,
  matching,
  natural,
  orAbsent,
  orNull,
  processId,
  record,
  type Shape,
  shortened,
  string,
  time,
  variant,
  whole,
  withDefault,
} from '../../../src/shared/shapes.ts';

const size: Shape<{ width: number; unit?: string }> = record({ width: natural, unit: orAbsent(string()) });
type Figure = { kind: 'dot' } | { kind: 'line'; length: number };
const figure: Shape<Figure> = variant('kind', { dot: record({}), line: record({ length: amount }) });

describe('a shape', () => {
  it.each<[what: string, shape: Shape<unknown>, value: unknown, result: unknown]>([
    ['a time before 1970', time, -1.5, -1.5],
    ['the highest process id', processId, 2 ** 22, 2 ** 22],
    ['anything but true as false', isTrue, 'true', false],
    ['a text that is cut off', shortened(3), 'abcd', 'abc'],
    ['null', orNull(natural), null, null],
    ['a value in the place of null', orNull(natural), 3, 3],
    ['what is absent', orAbsent(natural), undefined, undefined],
    ['a default', withDefault(natural, 7), undefined, 7],
    ['an object, with the known fields only', size, { width: 1, unit: 'cm', colour: 'red' }, { width: 1, unit: 'cm' }],
    ['an object without what may be absent', size, { width: 1 }, { width: 1 }],
    ['an object by its tag', figure, { kind: 'line', length: 0.5, more: 1 }, { kind: 'line', length: 0.5 }],
  ])('accepts %s', (_what, shape, value, result) => {
    const read = shape(value, 'it');
    expect(read).toStrictEqual(result);
  });

  it.each<[value: unknown, problem: string, shape: Shape<unknown>]>([
    [1, '"it" must be true or false, not 1', bool],
    [-1, '"it" must be a whole number, at least 0, not -1', natural],
    [2 ** 53, '"it" must be a whole number, at least 0, not 9007199254740992', natural],
    [6, '"it" must be a whole number from 1 to 5, not 6', whole(1, 5)],
    [1.5, '"it" must be a whole number from 1 to 5, not 1.5', whole(1, 5)],
    [0, '"it" must be a whole number from 1 to 4194304, not 0', processId],
    [Number.POSITIVE_INFINITY, '"it" must be a number, at least 0, not Infinity', amount],
    [8.65e15, '"it" must be a time, not 8650000000000000', time],
    [undefined, '"it" must be a string, not undefined', string()],
    ['abc', '"it" is longer than 2 characters', string(2)],
    [['a'], '"it" must be a string, not a list', shortened(2)],
    ['b', '"it" must be a text like /^a$/, not "b"', matching(/^a$/)],
    ['c', '"it" must be one of a, b, not "c"', among('a', 'b')],
    [{ length: 0 }, '"it" must be a list, not an object', array(natural)],
    [[1, 2], '"it" must have at most 1 entries', array(natural, 1)],
    [[1, 'x'], '"it" must be a whole number, at least 0, not "x"', array(natural)],
    [[], '"it" must be an object, not a list', size],
    [{ unit: 'cm' }, '"width" must be a whole number, at least 0, not undefined', size],
    [null, '"it" must be an object, not null', figure],
    [{ kind: 'constructor' }, '"it.kind" must be one of dot, line, not "constructor"', figure],
    ['x'.repeat(99), `"it" must be true or false, not "${'x'.repeat(60)}…"`, bool],
  ])('refuses %j: %s', (value, problem, shape) => {
    const read = () => shape(value, 'it');
    expect(read).toThrow(new TypeError(problem));
  });

  it('refuses a value that is too deeply nested to be printed', () => {
    const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
    expect(() => string()(deep, 'it')).toThrow(new TypeError('"it" must be a string, not a list'));
  });
});

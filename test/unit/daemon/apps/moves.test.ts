// Which processes listen elsewhere than the ones before them.
import { expect, it } from 'vitest';
import { moveOf } from '../../../../src/daemon/apps/sockets/moves.ts';

const places = (named: string[], chosen: string[] = []) => ({ named, chosen });

it.each([
  ['another port', places(['3000']), places(['3001']), ['3000'], ['3001'], false],
  ['a port of the system', places(['3000']), places([], ['41234']), ['3000'], ['41234'], true],
  ['one of its ports', places(['3000', '9100']), places(['3001', '9100']), ['3000'], ['3001'], false],
])('a process has moved to %s', (_, before, now, from, to, isAnywhere) => {
  expect(moveOf(before, now)).toEqual({ from, to, isAnywhere });
});

it.each([
  ['the same port', places(['3000']), places(['3000'])],
  ['one more port', places(['3000']), places(['3000', '9100'])],
  ['one of its ports, so far', places(['3000', '9100']), places(['9100'])],
  ['none, so far', places(['3000']), places([])],
  ['another port of the system', places([], ['41234']), places([], ['41235'])],
  ['another port of the system, and no other so far', places(['3000'], ['41234']), places([], ['41235'])],
])('a process that listens on %s has not moved', (_, before, now) => {
  expect(moveOf(before, now)).toBeUndefined();
});

// What a rotator that died has left behind: rotations as a whole are in test/integration/logs/rotation.test.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { recover } from '../../../src/logs/rotation-recovery.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const directory = temporaryDirectory(afterAll);

it.each([
  '',
  '{',
  '{}',
  '[]',
  '7',
  '"x"',
  '{"rotator":null}',
  '{"rotator":{"pid":"1"},"stopped":[],"file":"a","draft":"b","to":"c"}',
  '{"rotator":{"pid":0},"stopped":3,"file":"a","draft":"b","to":"c"}',
  '{"rotator":{"pid":0},"stopped":[null],"file":"a","draft":"b","to":"c"}',
])('an invalid record does not make the recovery throw: %s', (text) => {
  const record = join(directory, 'rotation.json');
  writeFileSync(record, text);
  expect(() => recover(record)).not.toThrow();
});

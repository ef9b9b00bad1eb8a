// Logs and rotated logs of which somebody has made something else.
import { readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { compressOld, mostKept } from '../../../src/rotator/retention.ts';
import { type RotationDeps, rotate } from '../../../src/rotator/rotation.ts';
import { rotatedName } from '../../../src/shared/rotations.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { makeFifo } from '../../helpers/program.ts';

const at = directoryForEach();

it('retention compresses no devices and no FIFOs', async () => {
  const log = at('web.log');
  const [zero, fifo, regular, newest] = [1_000, 2_000, 3_000, 4_000].map((at) => rotatedName(log, at));
  symlinkSync('/dev/zero', zero!);
  await makeFifo(fifo!);
  for (const file of [regular!, newest!]) writeFileSync(file, 'one\n');
  await compressOld(log);
  expect(readdirSync(at()).sort()).toEqual([zero!, fifo!, `${regular}.gz`, newest!].map((file) => basename(file)));
});

it.each<[total: number, most: number, directory: string, expected: number]>([
  [0, 0, '/logs', Number.POSITIVE_INFINITY],
  [500, 0, '/logs', 500],
  [500, 300, '/logs', 300],
  [0, 300, '/logs', 300],
  [500, 300, '/elsewhere', 500],
])(
  'of one file, limits of %d for its app and %d for all logs in %s leave %d bytes',
  (total, most, directory, expected) => {
    const retention = { keep: 1, total, family: [], compress: false, logs: { directory, most } };
    expect(mostKept('/logs/web.log', retention)).toBe(expected);
  },
);

const length = 2 ** 40;

it.each([
  ['is that long', true],
  ['becomes that long while it is copied', false],
])('of a sparse log beyond the limit, the newest half of the limit is kept if it %s', (_, isBefore) => {
  const log = at('web.log');
  writeFileSync(log, 'oldest\n');
  const lengthen = () => {
    truncateSync(log, length - 7);
    writeFileSync(log, 'newest\n', { flag: 'a' });
  };
  if (isBefore) lengthen();
  const withWritersPaused: RotationDeps['withWritersPaused'] = (_stats, _names, act) => {
    if (!isBefore) lengthen();
    act({ verify() {} });
    return 0;
  };
  const { to, bytes, dropped } = rotate(log, { withWritersPaused, wall: () => 1_000, most: 1_000_000 });
  expect({ bytes, dropped }).toEqual({ bytes: 500_000, dropped: length - 500_000 });
  expect(readFileSync(to!, 'latin1')).toBe(`${'\0'.repeat(499_993)}newest\n`);
  expect(statSync(log).size).toBe(0);
});

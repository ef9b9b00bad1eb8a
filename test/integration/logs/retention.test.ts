// Rotated logs of which somebody has put something else in their place.
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { compressOld } from '../../../src/rotator/retention.ts';
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
